import type { Sensitivity } from './command.ts'
import { type Exchange, type ExchangeLink, escapeByte } from './exchange.ts'
import type { FinalResult } from './final-result.ts'
import { isAnswerTo, type Marker, markers, provingWord, rememberUnanswered } from './markers.ts'
import type { ResponseLine } from './response-line.ts'

/** How the attempt to get in step ended. */
export interface ResynchronisationEnd {
  readonly inStep: boolean
  readonly attempts: number
}

/**
 * Getting in step: ESC ends a prompt that may be open, `AT` finds out whether anybody is there, and then questions are
 * asked whose answers nothing old can be (see `provingWord`). An OK alone proves nothing: it may be that of the command
 * which was given up.
 *
 * `knocking` ESC and `AT` are written, any OK will do → `marking` a question is written, its answer is due → `closing`
 * the answer was read, its final result is due → the next question, or in step. A deadline that passes begins the next
 * attempt; the questions asked so far stay in mind as unanswered.
 */
export class Resynchronisation implements Exchange {
  readonly text = 'AT'
  readonly sensitivity: Sensitivity = 'ordinary'
  readonly #link: ExchangeLink
  readonly #options: ResynchronisationOptions
  readonly #settle: (end: ResynchronisationEnd) => void
  /** Questions that this modem refused; asked again only when no other is left. */
  readonly #refused = new Set<Marker>()
  #state: 'knocking' | 'marking' | 'closing' = 'knocking'
  #word: readonly Marker[] = []
  #letter = 0
  #attempts = 0
  #prompts = 0

  constructor(link: ExchangeLink, options: ResynchronisationOptions, settle: (end: ResynchronisationEnd) => void) {
    this.#link = link
    this.#options = options
    this.#settle = settle
  }

  start(): void {
    this.#knock()
  }

  refuse(): void {
    this.#settle({ inStep: false, attempts: 0 })
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
        // An error is stale, or the modem dislikes ESC in front of AT: the next attempt is without.
        if (result.kind === 'ok') this.#mark()
        return true
      case 'marking':
        // Stale, or the question is not supported: another one is safe either way.
        if (result.kind === 'error') {
          const marker = this.#word[this.#letter]
          if (marker) this.#refused.add(marker)
          this.#mark()
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
    // What we wrote went into somebody's message. Noise may hold any number of `>`; those beyond a few change nothing.
    this.#prompts += 1
    if (this.#prompts > mostPrompts) return
    this.#state = 'knocking'
    this.#link.deadline(this.#options.timeoutMs)
    this.#link.write(`${escapeByte}AT\r`)
  }

  expired(): void {
    this.#knock()
  }

  restarted(): void {
    // A booting modem is deaf for a while; the attempts go on.
  }

  cancelled(): void {
    // Nobody may leave the dialogue out of step.
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
    // Some firmware takes ESC for a part of the command behind it: every other attempt does without.
    this.#link.write(this.#attempts % 2 === 1 ? `${escapeByte}AT\r` : 'AT\r')
  }

  #mark(): void {
    const { unanswered } = this.#options
    const supported = markers.filter((marker) => !this.#refused.has(marker))
    const word = provingWord(unanswered, supported)
    if (word === undefined) {
      this.#refused.clear()
      this.#knock()
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
    rememberUnanswered(this.#options.unanswered, marker)
    this.#link.deadline(this.#options.timeoutMs)
    this.#link.write(`${marker.command}\r`)
  }

  #end(inStep: boolean): void {
    if (inStep) this.#options.unanswered.length = 0
    this.#settle({ inStep, attempts: this.#attempts })
    this.#link.done(inStep ? 'in-step' : 'out-of-step')
  }
}

export interface ResynchronisationOptions {
  readonly attempts: number
  readonly timeoutMs: number
  /** Questions without an answer since both ends were last in step, in the order asked; kept up to date here. */
  readonly unanswered: Marker[]
}

const mostPrompts = 4
