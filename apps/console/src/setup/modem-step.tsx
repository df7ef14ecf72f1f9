import type { DeviceDetailAnswer, ModemAnswer } from '@smsgw/contract/devices/device'
import { RestartModem } from '../devices/modem-controls.tsx'
import { signalWords } from '../shell/line-state/line-words.ts'
import { SignalBars } from '../ui/signal-bars.tsx'
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

/** Waits until the SIM is registered with a network. Until then, says what to check. */
export function NetworkStep({
  deviceId,
  modem: { simNumber, signal },
  kind,
}: {
  readonly deviceId: string
  readonly modem: ModemAnswer
  readonly kind: 'searching' | 'denied' | 'roaming'
}) {
  return (
    <>
      <div role="status">
        <p>{t(`setup.${kind}`)}</p>
        <p className="quiet">{t(`setupHelp.${kind}`)}</p>
      </div>
      <div className="modem-signal">
        <SignalBars signal={signal} />
        <span className="quiet">{signalWords(signal)}</span>
      </div>
      {kind !== 'roaming' && simNumber !== undefined && (
        <div>
          <RestartModem deviceId={deviceId} simNumber={simNumber} />
        </div>
      )}
    </>
  )
}
