import { integerOf, parseParameters } from '../../wire/at-parameters.ts'
import type { ResponseLine } from '../../wire/response-line.ts'
import { lastWith, type Query, type QueryAnswer } from '../query.ts'

/** Signal values; undefined if the modem reports 99, which means unknown. */
export interface Signal {
  readonly dBm: number | undefined
  /** From 0 (no bars) to 4 (all bars). */
  readonly bars: number | undefined
  /** LTE: reference signal received power and quality. */
  readonly rsrpDbm?: number
  readonly rsrqDb?: number
}

/** 27.007 §8.5. Some modems (E3372) do not answer this command while they start. */
export const readSignal: Query<Signal> = {
  text: 'AT+CSQ',
  timeoutMs: 5000,
  prefixes: ['+CSQ'],
  single: true,
  read: (lines) => {
    const line = lastWith(lines, '+CSQ')
    return line && signalIn(line)
  },
}

/** `+CSQ: 18,99`. Some modems also send this line unsolicited. */
function signalIn(line: ResponseLine): Signal | undefined {
  // `+CSQ: 18.99`: old firmware writes a decimal point instead of the comma.
  const rssi = integerOf(parseParameters(line.body.replace('.', ','))[0])
  if (rssi === undefined) return undefined
  // 100–199: TD-SCDMA, one decibel per step.
  const dBm = rssi <= 31 ? rssi * 2 - 113 : rssi >= 100 && rssi <= 191 ? rssi - 216 : undefined
  return { dBm, bars: dBm === undefined ? undefined : barsOf(dBm) }
}

/** 27.007 §8.69: GSM, UMTS and LTE have separate measures; 99 and 255 mean "not this network". */
export const readExtendedSignal: Query<Signal> = {
  text: 'AT+CESQ',
  timeoutMs: 5000,
  prefixes: ['+CESQ'],
  single: true,
  read: (lines) => {
    const line = lastWith(lines, '+CESQ')
    if (line === undefined) return undefined
    const [rxlev, , rscp, , rsrq, rsrp] = parseParameters(line.body).map(integerOf)
    if (rsrp !== undefined && rsrp <= 97) {
      const rsrpDbm = rsrp - 141
      const quality = rsrq !== undefined && rsrq <= 34 ? { rsrqDb: rsrq / 2 - 20 } : {}
      // RSSI is measured over the whole band, RSRP over one of at least twelve subcarriers.
      return { dBm: rsrpDbm + 20, bars: barsOf(rsrpDbm + 20), rsrpDbm, ...quality }
    }
    if (rscp !== undefined && rscp <= 96) return { dBm: rscp - 121, bars: barsOf(rscp - 121) }
    if (rxlev !== undefined && rxlev <= 63) return { dBm: rxlev - 111, bars: barsOf(rxlev - 111) }
    return { dBm: undefined, bars: undefined }
  },
}

/** Prefers the extended command, because LTE modems report the signal with this command when `+CSQ` reports 99. */
export async function bestSignal(
  ask: (query: Query<Signal>) => Promise<QueryAnswer<Signal>>,
): Promise<Signal | undefined> {
  const usual = await ask(readSignal)
  if (usual.kind === 'value' && usual.value.dBm !== undefined) return usual.value
  const extended = await ask(readExtendedSignal)
  if (extended.kind === 'value') return extended.value
  return usual.kind === 'value' ? usual.value : undefined
}

function barsOf(dBm: number): number {
  if (dBm >= -73) return 4
  if (dBm >= -83) return 3
  if (dBm >= -93) return 2
  return dBm >= -109 ? 1 : 0
}
