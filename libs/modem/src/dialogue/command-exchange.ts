import { parseParameters } from '../wire/at-parameters.ts'
import { isHexadecimal } from '../wire/line-assembler.ts'
import type { ResponseLine } from '../wire/response-line.ts'
import type { UnsolicitedForm } from '../wire/unsolicited.ts'
import type { AtCommand, AtOutcome, NotSent, Sensitivity, Unanswered } from './command.ts'
import type { Exchange, ExchangeLink } from './exchange.ts'
import type { FinalResult } from './final-result.ts'

/** One command and its answer: the lines that belong to it, up to a final result. */
export class CommandExchange implements Exchange {
  readonly text: string
  readonly sensitivity: Sensitivity
  readonly #command: AtCommand
  readonly #link: ExchangeLink
  readonly #settle: (outcome: AtOutcome) => void
  readonly #lines: ResponseLine[] = []
  #characters = 0
  #startedAtMs = 0

  constructor(command: AtCommand, link: ExchangeLink, settle: (outcome: AtOutcome) => void) {
    this.text = command.text
    this.sensitivity = command.sensitivity ?? 'ordinary'
    this.#command = command
    this.#link = link
    this.#settle = settle
  }

  start(): void {
    this.#startedAtMs = this.#link.nowMs()
    this.#link.deadline(this.#command.timeoutMs)
    this.#link.write(`${this.#command.text}\r`)
  }

  refuse(why: NotSent): void {
    this.#settle({ kind: 'not-sent', why })
  }

  line(line: ResponseLine, form: UnsolicitedForm | undefined): boolean {
    const taken = line.prefix === '' ? this.#takesBare(line, form) : this.#takesPrefixed(line, form)
    if (!taken) return false
    this.#characters += line.text.length
    if (this.#characters > mostCharacters) this.#unanswered('flooded')
    else this.#extendDeadline()
    return true
  }

  result(result: FinalResult): boolean {
    if (result.kind === 'call') return false
    this.#settle(
      result.kind === 'ok'
        ? { kind: 'ok', lines: this.#lines }
        : { kind: 'error', error: result.error, lines: this.#lines },
    )
    this.#link.done('in-step')
    return true
  }

  /** True if a line with this prefix may still belong to this exchange. */
  mayAnswer(prefix: string): boolean {
    return this.#command.prefixes?.includes(prefix) ?? this.#command.bare !== undefined
  }

  prompt(): void {
    // Ignores the prompt. Either the prompt is line noise, or the modem waits for a PDU and will not answer. In the
    // second case, the deadline ends the exchange.
  }

  expired(): void {
    this.#unanswered('timeout')
  }

  restarted(): void {
    this.#unanswered('restarted')
  }

  cancelled(): void {
    this.#unanswered('cancelled')
  }

  portLost(): void {
    this.#unanswered('port-lost')
  }

  #takesPrefixed(line: ResponseLine, form: UnsolicitedForm | undefined): boolean {
    if (!this.#command.prefixes?.includes(line.prefix)) return false
    if (form?.isUnsolicited?.(parseParameters(line.body))) return false
    const earlier = this.#command.single ? this.#lines.pop() : undefined
    if (earlier) this.#link.giveBack(earlier)
    this.#lines.push(line)
    return true
  }

  #takesBare(line: ResponseLine, form: UnsolicitedForm | undefined): boolean {
    const last = this.#lines.at(-1)
    // Some firmware writes the PDU in quotes.
    const digits = line.text.replaceAll('"', '')
    if (this.#command.withPayload && last && last.payload === undefined && isHexadecimal(digits)) {
      this.#lines[this.#lines.length - 1] = { ...last, payload: digits }
      return true
    }
    if (form !== undefined || !this.#command.bare?.(line.text)) return false
    this.#lines.push(line)
    return true
  }

  #extendDeadline(): void {
    const limitMs = this.#command.limitMs ?? this.#command.timeoutMs * limitFactor
    const leftMs = this.#startedAtMs + limitMs - this.#link.nowMs()
    this.#link.deadline(Math.max(0, Math.min(this.#command.timeoutMs, leftMs)))
  }

  #unanswered(why: Unanswered): void {
    this.#settle({ kind: 'unanswered', why, lines: this.#lines })
    this.#link.done('out-of-step')
  }
}

// The limit of the whole answer, as a multiple of `timeoutMs`. A listing of 255 rows at 9600 baud takes two minutes,
// and the timeout of `AT+CMGL` allows 30 s between two lines.
const limitFactor = 10

// 255 messages of 360 characters are about 90 000 characters. A longer output cannot be an answer.
const mostCharacters = 262_144
