import type { DeviceAnswer, DeviceDetailAnswer } from '@smsgw/contract/device'
import { agentStatusCommand, gatewayStatusCommand } from '../devices/pair-command.ts'
import { Pairing } from '../devices/pair-device.tsx'
import { useSignedIn } from '../session-context.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { rich, t } from '../words/text.ts'

/** Pairs the computer with the modem, or says why it is not connected. */
export function ComputerStep({
  device,
  known,
}: {
  readonly device: DeviceDetailAnswer | undefined
  readonly known: readonly DeviceAnswer[]
}) {
  const { mode } = useSignedIn()
  if (device === undefined)
    return (
      <>
        <p>{t('setup.pair')}</p>
        <Pairing known={known} />
      </>
    )
  return (
    <div role="status">
      <p>{rich('setup.offline', { name: device.name, when: <RelativeTime at={device.lastSeen} /> })}</p>
      <p className="quiet">{t('setup.offlineHelp')}</p>
      <CopyField name={t('diagnostics.command')} value={mode === 'local' ? gatewayStatusCommand : agentStatusCommand} />
    </div>
  )
}
