import type { DeviceDetailAnswer } from '@smsgw/contract/devices/device'
import { Panel } from '../ui/page.tsx'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { t } from '../words/text.ts'

/** Recent errors that the device reported. */
export function LastErrors({ device: { lastErrors } }: { readonly device: DeviceDetailAnswer }) {
  if (lastErrors.length === 0) return null
  return (
    <Panel title={t('device.lastErrors')}>
      <table className="list-table">
        <thead>
          <tr>
            <th>{t('device.errorTime')}</th>
            <th>{t('device.errorModule')}</th>
            <th>{t('device.errorMessage')}</th>
          </tr>
        </thead>
        <tbody>
          {lastErrors.map(({ at, module, message }) => (
            <tr key={at + message}>
              <td>
                <RelativeTime at={at} />
              </td>
              <td className="quiet">{module}</td>
              <td lang="en" dir="auto">
                {message}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
