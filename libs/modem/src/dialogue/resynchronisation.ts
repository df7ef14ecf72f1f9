import type { ResponseLine } from '../wire/response-line.ts'
import type { Sensitivity } from './command.ts'
import { type Exchange, type ExchangeLink, escapeByte } from './exchange.ts'
import type { FinalResult } from './final-result.ts'
import { isAnswerTo, type Marker, markers, provingWord, rememberUnanswered } from './markers.ts'

/** The result of a resynchronisation attempt. */
export interface ResynchronisationEnd {
  readonly inStep: boolean
  readonly attempts: number
  /** The modem answers a bare `AT` with an error. */
  readonly atRefused: boolean
  /** Each question was answered with OK alone. Some ports (Sierra APP) answer any input in this way. */
  readonly okToAll: boolean
}

/**
 * Resynchronisation: ESC closes an open prompt, `AT` checks that the modem answers, then the driver asks questions
 * whose answers cannot be old (see `provingWord`). An OK alone is not sufficient, because it may belong to the
 * timed-out command. Some modems refuse a bare `AT`; an error also shows that the modem answers.
 *
 * - `knocking`: ESC and `AT` were written, and any result is accepted. Next: `marking`.
 * - `marking`: a question was written, and its answer is expected. Next: `closing`.
 * - `closing`: the answer was read, and its final result is expected. Next: another question, or the end.
 *
 * A deadline starts the next attempt; the questions asked so far are remembered as unanswered.
 */
export class Resynchronisation implements Exchange {
  readonly text = 'AT'
  readonly sensitivity: Sensitivity = 'ordinary'
  readonly #link: ExchangeLink
  readonly #options: ResynchronisationOptions
  readonly #settle: (end: ResynchronisationEnd) => void
  /** Questions that this modem refused; repeated only when no other question is left. */
  readonly #refused = new Set<Marker>()
  #state: 'knocking' | 'marking' | 'closing' = 'knocking'
  #word: readonly Marker[] = []
  #letter = 0
  #attempts = 0
  #prompts = 0
  #atRefused = false
  #hasOk = false
  /** Questions that were answered with OK alone. */
  readonly #unanswering = new Set<Marker>()

  constructor(link: ExchangeLink, options: ResynchronisationOptions, settle: (end: ResynchronisationEnd) => void) {
    this.#link = link
    this.#options = options
    this.#settle = settle
  }

  start(): void {
    this.#knock()
  }

  refuse(): void {
    this.#settle({ inStep: false, attempts: 0, atRefused: false, okToAll: false })
  }

  line(line: ResponseLine): boolean {
    const marker = this.#word[this.#letter]
    if (this.#state !== 'marking' || marker === undefined || !isAnswerTo(marker, line)) return false
    this.#state = 'closing'
    return true
  }

  result(result: FinalResult): boolean {
    if (result.kind === 'call') return false
    switch (this.#state) {
      case 'knocking':
        this.#atRefused = result.kind === 'error'
        this.#mark()
        return true
      case 'marking':
        // Asks another question, because the error belongs to an earlier command, or the modem does not support this
        // question.
        if (result.kind === 'error') {
          const marker = this.#word[this.#letter]
          // After all questions were refused, waits for the deadline.
          if (marker === undefined) return true
          this.#refused.add(marker)
          this.#mark()
        } else {
          this.#hasOk = true
        }
        return true
      case 'closing':
        if (result.kind === 'error') this.#knock()
        else if (this.#letter + 1 < this.#word.length) this.#ask(this.#letter + 1)
        else this.#end(true)
        return true
    }
  }

  prompt(): void {
    // A prompt means that the modem has read the driver's bytes as a message text. Only the first few prompts are
    // handled, because noise may contain any number of `>`.
    this.#prompts += 1
    if (this.#prompts > mostPrompts) return
    this.#state = 'knocking'
    this.#link.deadline(this.#options.timeoutMs)
    this.#link.write(`${escapeByte}AT\r`)
  }

  expired(): void {
    const marker = this.#word[this.#letter]
    if (this.#state === 'marking' && marker) {
      this.#options.silent.add(marker)
      if (this.#hasOk) {
        this.#refused.add(marker)
        this.#unanswering.add(marker)
      }
    }
    this.#knock()
  }

  restarted(): void {
    // Continues the attempts, because a booting modem ignores input for a while.
  }

  cancelled(): void {
    // Ignores a cancellation, because the dialogue must not stay out of step.
  }

  portLost(): void {
    this.#end(false)
  }

  #knock(): void {
    if (this.#attempts >= this.#options.attempts) {
      this.#end(false)
      return
    }
    this.#attempts += 1
    this.#state = 'knocking'
    this.#link.deadline(this.#options.timeoutMs)
    // Some firmware reads ESC as part of the next command, so every other attempt omits it.
    this.#link.write(this.#attempts % 2 === 1 ? `${escapeByte}AT\r` : 'AT\r')
  }

  #mark(): void {
    const { unanswered, silent } = this.#options
    const supported = markers.filter((marker) => !this.#refused.has(marker))
    let word = provingWord(
      unanswered,
      supported.filter((marker) => !silent.has(marker)),
    )
    if (word === undefined) {
      silent.clear()
      word = provingWord(unanswered, supported)
    }
    if (word === undefined) {
      // A busy modem refuses all questions, so the next attempt starts only after the deadline.
      this.#refused.clear()
      this.#word = []
      return
    }
    this.#word = word
    this.#ask(0)
  }

  #ask(letter: number): void {
    const marker = this.#word[letter]
    if (marker === undefined) return
    this.#letter = letter
    this.#state = 'marking'
    this.#hasOk = false
    rememberUnanswered(this.#options.unanswered, marker)
    this.#link.deadline(this.#options.timeoutMs)
    this.#link.write(`${marker.command}\r`)
  }

  #end(inStep: boolean): void {
    if (inStep) this.#options.unanswered.length = 0
    const okToAll = !inStep && this.#unanswering.size >= questionsToBeSure
    this.#settle({ inStep, attempts: this.#attempts, atRefused: inStep && this.#atRefused, okToAll })
    this.#link.done(inStep ? 'in-step' : 'out-of-step')
  }
}

export type ResynchroniseOutcome =
  /** `atRefused`: the modem answers a bare `AT` with an error. */
  | { readonly kind: 'in-step'; readonly attempts: number; readonly atRefused: boolean }
  /** `heard`: the modem sent at least one byte. `okToAll`: each question was answered with OK alone. */
  | {
      readonly kind: 'out-of-step'
      readonly attempts: number
      readonly heard: boolean
      readonly okToAll: boolean
    }
  | { readonly kind: 'closed' }

export interface ResynchronisationOptions {
  readonly attempts: number
  readonly timeoutMs: number
  /**
   * The unanswered questions that were asked after both ends were last in step, in the order of asking.
   * Resynchronisation updates the list.
   */
  readonly unanswered: Marker[]
  /**
   * Questions that got no answer although the modem had just answered `AT`. They are asked again only if the others
   * cannot prove that both ends are in step. Resynchronisation updates the set.
   */
  readonly silent: Set<Marker>
}

const mostPrompts = 4
const questionsToBeSure = 3
