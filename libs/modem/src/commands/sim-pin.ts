import type { CommandError } from '../command-error.ts'
import type { ResponseLine } from '../response-line.ts'
import type { Answer, Query } from './query.ts'

/** What the SIM waits for. 27.007 §8.3 */
export type PinState =
  | 'ready'
  | 'pin'
  | 'puk'
  /** PIN2 and PUK2 guard fixed dialling and the like: SMS works without. */
  | 'pin2'
  | 'puk2'
  /** The modem is locked to a SIM, a network, a provider: no PIN of the SIM opens it. */
  | 'modem-locked'
  | 'busy'
  | 'no-sim'
  | 'sim-failure'

/** Wavecom gives the answer without a final result behind it. */
export const readPinState: Query<PinState> = {
  text: 'AT+CPIN?',
  timeoutMs: 15_000,
  prefixes: ['+CPIN'],
  single: true,
  finalResultOptional: true,
  read: (lines) => pinStateIn(lines.at(-1)),
}

/** As above, where firmware is known to give no final result: no use in waiting long for it. */
export const readPinStateWithoutFinalResult: Query<PinState> = { ...readPinState, timeoutMs: 3000 }

/** Undefined when it can be none: eight digits hold no command. */
export function enterPin(pin: string): Query<true> | undefined {
  if (!/^\d{4,8}$/.test(pin)) return undefined
  return {
    text: `AT+CPIN="${pin}"`,
    timeoutMs: 15_000,
    prefixes: ['+CPIN'],
    sensitivity: 'secret',
    read: () => true,
  }
}

/** The state as `+CPIN:` says it or as the error in its place does; undefined when neither tells. */
export function pinStateOf(answer: Answer<PinState>): PinState | undefined {
  if (answer.kind === 'value') return answer.value
  if (answer.kind === 'refused') return answer.partial ?? pinStateOfError(answer.error)
  return answer.kind === 'unanswered' ? answer.partial : undefined
}

/** CME errors 27.007 §9.2; CMS 310–318 mean the same. */
export function pinStateOfError(error: CommandError): PinState | undefined {
  return error.source === 'cms' ? cmsStates.get(error.code ?? -1) : cmeStates.get(error.code ?? -1)
}

/** `+CPIN: SIM PIN`, `+CPIN: "READY"`, `+CPIN:READY`; `NOT INSERTED` and `NOT READY` come as unsolicited codes too. */
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
  // SIM blocked, as Wavecom and Quectel number it: only the PUK helps, if anything does.
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
