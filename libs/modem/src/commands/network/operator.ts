import { integerOf, parameterText, parseParameters } from '../../wire/at-parameters.ts'
import { textInCharacterSet } from '../character-set.ts'
import { displayName } from '../display-name.ts'
import { lastWith, type Query } from '../query.ts'
import { type Technology, technologyFromNumber } from './registration.ts'

export interface Operator {
  /** The operator as the modem writes it: a name, or the country and network codes in digits. */
  readonly name: string
  /** The code of the operator in five or six digits, such as `26201`, if the modem reports it. */
  readonly code: string | undefined
  readonly technology: Technology | undefined
  readonly selection: 'automatic' | 'manual' | 'deregistered'
}

/** 27.007 §7.3. `+COPS: 0` without a name, or an empty name, means that there is no network. */
export const readOperator: Query<Operator | 'none'> = {
  text: 'AT+COPS?',
  timeoutMs: 10_000,
  prefixes: ['+COPS'],
  read: (lines) => {
    const line = lastWith(lines, '+COPS')
    if (line === undefined) return undefined
    const [mode, , operator, technology] = parseParameters(line.body)
    const name = displayName(textInCharacterSet(parameterText(operator)))
    if (name === '') return 'none'
    return {
      name,
      code: /^\d{5,6}$/.test(name) ? name : undefined,
      technology: technologyFromNumber(integerOf(technology)),
      selection: integerOf(mode) === 1 ? 'manual' : integerOf(mode) === 2 ? 'deregistered' : 'automatic',
    }
  },
}
