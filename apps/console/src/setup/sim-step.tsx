import type { ModemAnswer } from '@smsgw/contract/device'
import { ModemProblem } from '../devices/modem-card.tsx'
import { PinForm, RestartModem } from '../devices/modem-controls.tsx'
import { simStateWords } from '../devices/sim-state-words.ts'
import { t } from '../words/text.ts'

/** Asks for the PIN of the SIM, or says what a person must do with the SIM. */
export function SimStep({
  deviceId,
  modem: { simNumber, state, lastError, lastErrorCode },
  kind,
  triesLeft,
}: {
  readonly deviceId: string
  readonly modem: ModemAnswer
  readonly kind: 'pin' | 'blocked'
  readonly triesLeft: number | undefined
}) {
  if (kind === 'pin' && simNumber !== undefined)
    return (
      <>
        <div role="status">
          <p>{t('setup.locked')}</p>
          {triesLeft !== undefined && <p>{t('modem.pinTriesLeft', { count: triesLeft })}</p>}
        </div>
        <PinForm deviceId={deviceId} simNumber={simNumber} />
      </>
    )
  return (
    <>
      <div role="status">
        <ModemProblem text={lastError ?? simStateWords(state)} code={lastErrorCode} />
      </div>
      <p className="small quiet">{t('setup.afterSim')}</p>
      {simNumber !== undefined && (
        <div>
          <RestartModem deviceId={deviceId} simNumber={simNumber} />
        </div>
      )}
    </>
  )
}
