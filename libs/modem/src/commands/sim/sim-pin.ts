import type { CommandError } from '../../dialogue/errors/command-error.ts'
import { integerOf, parseParameters } from '../../wire/at-parameters.ts'
import type { ResponseLine } from '../../wire/response-line.ts'
import { lastWith, type Query, type QueryAnswer } from '../query.ts'

/** The code that the SIM requires. 27.007 §8.3 */
export type PinState =
  | 'ready'
  | 'pin'
  | 'puk'
  /** PIN2 and PUK2 protect fixed dialling and similar features, not SMS. */
  | 'pin2'
  | 'puk2'
  /** The modem is locked to a SIM, network or provider; the SIM's PIN cannot unlock it. */
  | 'modem-locked'
  | 'busy'
  | 'no-sim'
  | 'sim-failure'

/** Wavecom modems answer without a final result. */
export const readPinState: Query<PinState> = {
  text: 'AT+CPIN?',
  timeoutMs: 15_000,
  prefixes: ['+CPIN'],
  single: true,
  finalResultOptional: true,
  read: (lines) => pinStateIn(lines.at(-1)),
}

/** The same query with a shorter time limit, for firmware that never sends a final result. */
export const readPinStateWithoutFinalResult: Query<PinState> = { ...readPinState, timeoutMs: 3000 }

/** Returns undefined if the PIN is not four to eight digits. A PIN with other characters could add a second command. */
export function enterSimPin(pin: string): Query<true> | undefined {
  if (!/^\d{4,8}$/.test(pin)) return undefined
  return {
    text: `AT+CPIN="${pin}"`,
    timeoutMs: 15_000,
    prefixes: ['+CPIN'],
    sensitivity: 'secret',
    read: () => true,
  }
}

/**
 * Returns the state from `+CPIN:`, or from the error that was sent instead of it. Undefined if neither contains a
 * state.
 */
export function pinStateOf(answer: QueryAnswer<PinState>): PinState | undefined {
  if (answer.kind === 'value') return answer.value
  if (answer.kind === 'refused') return answer.partial ?? pinStateOfError(answer.error)
  return answer.kind === 'unanswered' ? answer.partial : undefined
}

/** CME errors of 27.007 §9.2; CMS 310 to 318 have the same meanings. */
export function pinStateOfError(error: CommandError): PinState | undefined {
  return error.source === 'cms' ? cmsStates.get(error.code ?? -1) : cmeStates.get(error.code ?? -1)
}

/** `+CPIN: SIM PIN`, `+CPIN: "READY"`, `+CPIN:READY`; `NOT INSERTED` and `NOT READY` are unsolicited codes too. */
export function pinStateIn(line: ResponseLine | undefined): PinState | undefined {
  const words = line?.body.replaceAll('"', '').trim().toUpperCase() ?? ''
  return states.get(words) ?? (/^(PH|BLOCKED|NETWORK|CORPORATE|PROVIDER)\b/.test(words) ? 'modem-locked' : undefined)
}

const states = new Map<string, PinState>([
  ['READY', 'ready'],
  ['SIM PIN', 'pin'],
  ['SIM PUK', 'puk'],
  ['SIM PIN2', 'pin2'],
  ['SIM PUK2', 'puk2'],
  ['NOT READY', 'busy'],
  ['BUSY', 'busy'],
  ['SIM BUSY', 'busy'],
  ['NOT INSERTED', 'no-sim'],
  ['SIM NOT INSERTED', 'no-sim'],
  ['SIM REMOVED', 'no-sim'],
  ['SIM FAILURE', 'sim-failure'],
])

const cmeStates = new Map<number, PinState>([
  [5, 'modem-locked'],
  [6, 'modem-locked'],
  [7, 'modem-locked'],
  [10, 'no-sim'],
  [11, 'pin'],
  [12, 'puk'],
  [13, 'sim-failure'],
  [14, 'busy'],
  [15, 'sim-failure'],
  [17, 'pin2'],
  [18, 'puk2'],
  [40, 'modem-locked'],
  // In the numbering of Wavecom and Quectel, 262 means that the SIM is blocked and requires the PUK.
  [262, 'puk'],
  [515, 'busy'],
])

const cmsStates = new Map<number, PinState>([
  [310, 'no-sim'],
  [311, 'pin'],
  [312, 'modem-locked'],
  [313, 'sim-failure'],
  [314, 'busy'],
  [315, 'sim-failure'],
  [316, 'puk'],
  [317, 'pin2'],
  [318, 'puk2'],
  [515, 'busy'],
])

/** True if the PIN of the SIM is enabled. 27.007 §7.4 */
export const readPinLock: Query<'enabled' | 'disabled'> = {
  text: 'AT+CLCK="SC",2',
  timeoutMs: 15_000,
  prefixes: ['+CLCK'],
  read: (lines) => {
    const status = integerOf(parseParameters(lastWith(lines, '+CLCK')?.body ?? '')[0])
    return status === undefined ? undefined : status === 0 ? 'disabled' : 'enabled'
  },
}
