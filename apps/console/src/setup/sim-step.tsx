import type { ModemAnswer } from '@smsgw/contract/devices/device'
import { PinForm, RestartModem } from '../devices/modem-controls.tsx'
import { t } from '../words/text.ts'
import { SetupProblem } from './setup-problem.tsx'

/** Asks for the PIN of the SIM, or says what a person must do with the SIM. */
export function SimStep({
  deviceId,
  modem,
  simState,
  kind,
  triesLeft,
}: {
  readonly deviceId: string
  readonly modem: ModemAnswer
  readonly simState: string
  readonly kind: 'pin' | 'blocked'
  readonly triesLeft: number | undefined
}) {
  const { simNumber } = modem
  if (kind === 'pin' && simNumber !== undefined)
    return (
      <>
        <div role="status">
          <p>{t('setup.locked')}</p>
          {triesLeft !== undefined && <p>{t('modem.pinTriesLeft', { count: triesLeft })}</p>}
        </div>
        <PinForm key={simNumber} deviceId={deviceId} simNumber={simNumber} />
      </>
    )
  return (
    <>
      <div role="status">
        <SetupProblem modem={modem} simState={simState} />
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
