import type { DeviceDetailAnswer, ModemAnswer } from '@smsgw/contract/devices/device'
import { RestartModem } from '../devices/modem-controls.tsx'
import { t } from '../words/text.ts'
import { SetupProblem } from './setup-problem.tsx'

/** Waits for a modem, and explains what to plug in. */
export function ModemStep({
  device,
  modem,
  simState,
  kind,
}: {
  readonly device: DeviceDetailAnswer
  readonly modem: ModemAnswer | undefined
  readonly simState: string
  readonly kind: 'missing' | 'starting' | 'failed'
}) {
  return (
    <>
      <div role="status">
        {kind === 'missing' && <p>{t('setup.plugIn', { name: device.name })}</p>}
        {kind === 'starting' && <p>{t('setup.starting')}</p>}
        {kind === 'failed' && modem !== undefined && <SetupProblem modem={modem} simState={simState} />}
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
