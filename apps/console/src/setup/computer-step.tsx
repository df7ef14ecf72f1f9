import { Button } from '@mantine/core'
import type { DeviceAnswer, DeviceDetailAnswer } from '@smsgw/contract/devices/device'
import { useState } from 'react'
import { agentStatusCommand, gatewayStatusCommand } from '../devices/pair-command.ts'
import { PairingSteps } from '../devices/pair-device.tsx'
import { useSignedIn } from '../session-context.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { rich, t } from '../words/text.ts'

/** Pairs the computer with the modem, or explains why the computer is not connected. */
export function ComputerStep({
  device,
  known,
  onPaired,
}: {
  readonly device: DeviceDetailAnswer | undefined
  readonly known: readonly DeviceAnswer[]
  readonly onPaired: (id: string) => void
}) {
  const { mode } = useSignedIn()
  const [isPairing, setPairing] = useState(false)
  if (device === undefined)
    return (
      <>
        <p>{t('setup.pair')}</p>
        <PairingSteps known={known} onPaired={onPaired} />
      </>
    )
  return (
    <>
      <div role="status">
        <p>{rich('setup.offline', { name: device.name, when: <RelativeTime at={device.lastSeen} /> })}</p>
        <p className="quiet">{t('setup.offlineHelp')}</p>
        <CopyField
          name={t('diagnostics.command')}
          value={mode === 'local' ? gatewayStatusCommand : agentStatusCommand}
        />
      </div>
      {mode === 'cloud' && !isPairing && (
        <div>
          <Button variant="default" size="xs" onClick={() => setPairing(true)}>
            {t('setup.pairAnother')}
          </Button>
        </div>
      )}
      {isPairing && <PairingSteps known={known} onPaired={onPaired} />}
    </>
  )
}
