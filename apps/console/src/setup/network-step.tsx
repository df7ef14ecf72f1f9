import type { ModemAnswer } from '@smsgw/contract/devices/device'
import { RestartModem } from '../devices/modem-controls.tsx'
import { signalWords } from '../shell/line-state/line-words.ts'
import { SignalBars } from '../ui/signal-bars.tsx'
import { t } from '../words/text.ts'

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
