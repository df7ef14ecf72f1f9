import { integerOf, parameterText, parseParameters } from '../../wire/at-parameters.ts'
import { numberInCharacterSet } from '../character-set.ts'
import { lastWith, type Query } from '../query.ts'

/** The service centre for outgoing messages, or `none` if the SIM has no service centre. 27.005 §3.3.1 */
export const readServiceCentre: Query<ServiceCentreAddress | 'none'> = {
  text: 'AT+CSCA?',
  timeoutMs: 10_000,
  prefixes: ['+CSCA'],
  read: (lines) => {
    const line = lastWith(lines, '+CSCA')
    if (line === undefined) return undefined
    const [address, type] = parseParameters(line.body)
    // The number may be quoted or not, and plain or in UCS-2 (`002B0039…`). An international number has a leading `+`,
    // or only the type 145.
    const number = numberInCharacterSet(parameterText(address)).replaceAll(/[^0-9+]/g, '')
    if (!/^\+?\d+$/.test(number)) return 'none'
    return { number: integerOf(type) === international && !number.startsWith('+') ? `+${number}` : number }
  },
}

export interface ServiceCentreAddress {
  readonly number: string
}

// 24.011 §8.2.5.2
const international = 145
