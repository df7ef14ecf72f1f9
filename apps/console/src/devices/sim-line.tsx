import type { SimCardAnswer } from '@smsgw/contract/devices/device'
import { SignalBars } from '../ui/signal-bars.tsx'
import { Dotted } from '../ui/values/dotted.tsx'
import { t } from '../words/text.ts'
import { simStateWords } from './sim-state-words.ts'
import './sim-line.css'

/** A SIM in one line: signal, network, phone number, and its state unless it is ready. */
export function SimLine({
  sim: { simNumber, name, signal, carrierName, phoneNumber, state, isEmulated },
  isOfEmulated = false,
}: {
  readonly sim: SimCardAnswer
  /** True if the page shows that the whole device is virtual. */
  readonly isOfEmulated?: boolean | undefined
}) {
  return (
    <span className="sim-line" data-ready={state === 'ready'}>
      <SignalBars signal={state === 'ready' ? signal : undefined} />
      <Dotted>
        {simWords(simNumber, name)}
        {isEmulated && !isOfEmulated && t('device.emulated')}
        {carrierName !== undefined && <bdi>{carrierName}</bdi>}
        {phoneNumber !== undefined && <bdi>{phoneNumber}</bdi>}
        {state !== 'ready' && simStateWords(state)}
      </Dotted>
    </span>
  )
}

/** The name of a SIM slot with its number, which the API uses. */
export function simWords(simNumber: number, name: string | undefined): string {
  const number = t('common.simNumber', { number: simNumber })
  return name === undefined ? number : `\u2068${name}\u2069 (${number})`
}
