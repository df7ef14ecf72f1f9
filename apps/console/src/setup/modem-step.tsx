import type { DeviceDetailAnswer, ModemAnswer } from '@smsgw/contract/device'
import { ModemProblem } from '../devices/modem-card.tsx'
import { RestartModem } from '../devices/modem-controls.tsx'
import { t } from '../words/text.ts'

/** Waits for a modem, and explains what to plug in. */
export function ModemStep({
  device,
  modem,
  kind,
}: {
  readonly device: DeviceDetailAnswer
  readonly modem: ModemAnswer | undefined
  readonly kind: 'missing' | 'starting' | 'failed'
}) {
  return (
    <>
      <div role="status">
        {kind === 'missing' && <p>{t('setup.plugIn', { name: device.name })}</p>}
        {kind === 'starting' && <p>{t('setup.starting')}</p>}
        {kind === 'failed' && modem?.lastError !== undefined && (
          <ModemProblem text={modem.lastError} code={modem.lastErrorCode} />
        )}
      </div>
      {kind === 'missing' && <p className="small quiet">{t('setup.plugInHelp')}</p>}
      {kind === 'failed' && modem?.simNumber !== undefined && (
        <div>
          <RestartModem deviceId={device.id} simNumber={modem.simNumber} />
        </div>
      )}
    </>
  )
}
