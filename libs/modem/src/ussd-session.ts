import type { Cancellation } from './cancellation.ts'
import type { Clock } from './clock.ts'
import type { CommandError } from './command-error.ts'
import { ask, type Executor } from './commands/query.ts'
import { cancelUssd, sendUssd, type UssdAnswer, type UssdEncoding, ussdAnswerIn } from './commands/ussd.ts'
import { Pause } from './pause.ts'
import type { ResponseLine } from './response-line.ts'
import { Turns } from './turns.ts'

export type UssdOutcome =
  /** `asks`: the network waits for a reply; the next `send` is that reply. */
  | ({ readonly kind: 'answer' } & UssdAnswer)
  | { readonly kind: 'refused'; readonly error: CommandError }
  /** Nothing came within two minutes; an answer that comes yet is reported as news. */
  | { readonly kind: 'no-answer' }
  /** Nothing was sent: the text holds what this modem has no way to take, a quote or a control character. */
  | { readonly kind: 'text-not-writable' }
  | { readonly kind: 'not-ready' }

/**
 * A conversation with the network, one step at a time. `idle` → `send` waits for its answer, which may come before the
 * OK of the command or long behind it → answered, `idle` again. What comes in `idle` the network began by itself, or it
 * came too late.
 */
export class UssdSession {
  readonly #executor: Executor
  readonly #clock: Clock
  readonly #cancellation: Cancellation
  readonly #answerLimitMs: number
  readonly #onNews: (answer: UssdAnswer) => void
  readonly #turns = new Turns()
  #encodings: readonly UssdEncoding[]
  #awaited: { readonly pause: Pause; answer: UssdAnswer | undefined } | undefined

  constructor(options: {
    readonly executor: Executor
    readonly clock: Clock
    readonly cancellation: Cancellation
    readonly encodings: readonly UssdEncoding[]
    readonly answerLimitMs: number
    readonly onNews: (answer: UssdAnswer) => void
  }) {
    this.#executor = options.executor
    this.#clock = options.clock
    this.#cancellation = options.cancellation
    this.#encodings = options.encodings
    this.#answerLimitMs = options.answerLimitMs
    this.#onNews = options.onNews
  }

  hear(line: ResponseLine): boolean {
    if (line.prefix !== '+CUSD') return false
    const answer = ussdAnswerIn(line, this.#encodings[0] ?? 'plain')
    if (answer === undefined) return true
    if (this.#awaited === undefined) {
      this.#onNews(answer)
    } else {
      this.#awaited.answer = answer
      this.#awaited.pause.wake()
    }
    return true
  }

  send(text: string): Promise<UssdOutcome> {
    return this.#turns.take(() => this.#send(text))
  }

  async cancel(): Promise<void> {
    await ask(this.#executor, cancelUssd, this.#cancellation)
  }

  async #send(text: string): Promise<UssdOutcome> {
    const awaited = { pause: new Pause(this.#clock), answer: undefined as UssdAnswer | undefined }
    this.#awaited = awaited
    try {
      const refusal = await this.#request(text)
      if (refusal) return refusal
      const until = this.#clock.nowMs() + this.#answerLimitMs
      while (awaited.answer === undefined && !this.#cancellation.cancelled && this.#clock.nowMs() < until) {
        await awaited.pause.wait(until - this.#clock.nowMs(), this.#cancellation)
      }
      if (awaited.answer !== undefined) return { kind: 'answer', ...awaited.answer }
      return this.#cancellation.cancelled ? { kind: 'not-ready' } : { kind: 'no-answer' }
    } finally {
      this.#awaited = undefined
    }
  }

  /** Which form of the text the firmware takes is not always known: the next is tried when one is refused. */
  async #request(text: string): Promise<UssdOutcome | undefined> {
    let refusal: UssdOutcome = { kind: 'text-not-writable' }
    for (const encoding of this.#encodings) {
      const request = sendUssd(text, encoding)
      if (request === undefined) continue
      const answer = await ask(this.#executor, request, this.#cancellation)
      switch (answer.kind) {
        case 'value':
          this.#encodings = [encoding, ...this.#encodings.filter((other) => other !== encoding)]
          if (answer.value !== 'sent' && this.#awaited) this.#awaited.answer ??= answer.value
          return undefined
        case 'refused':
          refusal = { kind: 'refused', error: answer.error }
          // The network's no has nothing to do with how it was asked.
          if (this.#awaited?.answer !== undefined) return undefined
          if (answer.error.class === 'registration' || answer.error.class === 'sim') return refusal
          break
        case 'unanswered':
          // Some give the answer and no OK.
          return undefined
        case 'unreadable':
        case 'not-sent':
          return { kind: 'not-ready' }
      }
    }
    return refusal
  }
}
