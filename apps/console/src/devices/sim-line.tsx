import type { SimCardAnswer } from '@smsgw/contract/devices/device'
import { SignalBars } from '../ui/signal-bars.tsx'
import { t } from '../words/text.ts'
import { simStateWords } from './sim-state-words.ts'
import './sim-line.css'

/** A SIM in one line: signal, network, phone number, and its state unless it is ready. */
export function SimLine({
  sim: { simNumber, name, signal, carrierName, phoneNumber, state, isEmulated },
}: {
  readonly sim: SimCardAnswer
}) {
  return (
    <span className="sim-line" data-ready={state === 'ready'}>
      <SignalBars signal={state === 'ready' ? signal : undefined} />
      <span>
        {simWords(simNumber, name)}
        {[
          isEmulated ? t('device.emulated') : undefined,
          carrierName,
          phoneNumber && `\u2068${phoneNumber}\u2069`,
          state === 'ready' ? undefined : simStateWords(state),
        ]
          .filter((word) => word !== undefined)
          .map((word) => ` · ${word}`)}
      </span>
    </span>
  )
}

/** The name of a SIM slot with its number, which the API uses. */
export function simWords(simNumber: number, name: string | undefined): string {
  const number = t('common.simNumber', { number: simNumber })
  return name === undefined ? number : `\u2068${name}\u2069 (${number})`
}
