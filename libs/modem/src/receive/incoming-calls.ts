import type { Clock, Timer } from '../clock.ts'
import { numberInCharacterSet } from '../commands/character-set.ts'
import type { Query } from '../commands/query.ts'
import { parameterText, parseParameters } from '../wire/at-parameters.ts'
import type { ResponseLine } from '../wire/response-line.ts'

/** A call that rang at the modem. The driver never answers it. */
export interface IncomingCall {
  /** Undefined if the caller withheld the number, or if the network or the modem does not report it. */
  readonly number: string | undefined
}

/** Shows the number of the caller (`+CLIP`) after each `RING`. 27.007 §7.6 */
export const showCallers: Query<true> = { text: 'AT+CLIP=1', timeoutMs: 15_000, read: () => true }

/** Ends the call. 27.007 §6.5; some modems support only the command of V.250 §6.3.6. */
export const hangUp: readonly Query<true>[] = ['AT+CHUP', 'ATH'].map((text) => ({
  text,
  timeoutMs: 10_000,
  read: () => true as const,
}))

/**
 * Reports each call only once, however often it rings.
 *
 * - `idle`: the first `RING` leads to `ringing`.
 * - `ringing`: waits a moment for the number. Next: `reported`.
 * - `reported`: the state becomes `idle` when the caller hangs up (`NO CARRIER`) or no `RING` has arrived for a while.
 */
export class IncomingCalls {
  readonly #clock: Clock
  readonly #onCall: (call: IncomingCall) => void
  #state: 'idle' | 'ringing' | 'reported' = 'idle'
  #timer: Timer | undefined

  constructor(clock: Clock, onCall: (call: IncomingCall) => void) {
    this.#clock = clock
    this.#onCall = onCall
  }

  /** Handles an unsolicited code. Returns false if the code does not concern calls. */
  handle(line: ResponseLine): boolean {
    const code = line.prefix === '' ? line.text.toUpperCase() : line.prefix
    switch (code) {
      case 'RING':
      case '+CRING':
        this.#ring()
        return true
      case '+CLIP':
        this.#ring()
        if (this.#state === 'ringing') this.#report(numberIn(line.body))
        return true
      case 'NO CARRIER':
        this.#end()
        return true
      default:
        return false
    }
  }

  /** Discards the current call without reporting the call. */
  forget(): void {
    this.#timer?.cancel()
    this.#state = 'idle'
  }

  #ring(): void {
    if (this.#state === 'ringing') return
    if (this.#state === 'idle') {
      this.#state = 'ringing'
      this.#after(numberLimitMs, () => this.#report(undefined))
    } else {
      this.#after(silenceMs, () => this.#end())
    }
  }

  #report(number: string | undefined): void {
    this.#state = 'reported'
    this.#after(silenceMs, () => this.#end())
    this.#onCall({ number })
  }

  #end(): void {
    // The caller hung up before the number arrived.
    if (this.#state === 'ringing') this.#report(undefined)
    this.forget()
  }

  #after(ms: number, run: () => void): void {
    this.#timer?.cancel()
    this.#timer = this.#clock.after(ms, run)
  }
}

/** `"+447700900123",145,…`, or an empty number if the caller withheld it. */
function numberIn(body: string): string | undefined {
  const [text, type] = parseParameters(body)
  const number = numberInCharacterSet(parameterText(text)).replaceAll(/[\s()-]/g, '')
  if (!/^\+?[0-9*#]{1,20}$/.test(number)) return undefined
  return parameterText(type) === internationalNumber && !number.startsWith('+') ? `+${number}` : number
}

// 24.008 §10.5.4.7
const internationalNumber = '145'
// `+CLIP` follows the first or the second `RING`, which are up to 5 s apart.
const numberLimitMs = 7_000
const silenceMs = 15_000
