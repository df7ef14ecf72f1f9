import type { Cancellation } from '../../cancellation.ts'
import type { Clock } from '../../clock.ts'
import type { CommandError } from '../../dialogue/errors/command-error.ts'
import { Pause } from '../../pause.ts'
import { TaskQueue } from '../../task-queue.ts'
import type { ResponseLine } from '../../wire/response-line.ts'
import { type Executor, runQuery } from '../query.ts'
import { cancelUssd, sendUssd, type UssdResponse, ussdAnswerIn } from './ussd.ts'
import type { UssdEncoding } from './ussd-text.ts'

export type UssdOutcome =
  /** `asks`: the network expects a reply; the next `send` is that reply. */
  | ({ readonly kind: 'answer' } & UssdResponse)
  | { readonly kind: 'refused'; readonly error: CommandError }
  /** No answer arrived within two minutes. A later answer is reported as an event. */
  | { readonly kind: 'no-answer' }
  /** Nothing was sent, because the text contains a quote or a control character, which cannot be sent to this modem. */
  | { readonly kind: 'text-not-writable' }
  | { readonly kind: 'not-ready' }

interface UssdSessionOptions {
  readonly executor: Executor
  readonly clock: Clock
  readonly cancellation: Cancellation
  readonly encodings: readonly UssdEncoding[]
  readonly answerLimitMs: number
  readonly onNews: (answer: UssdResponse) => void
}

/**
 * A USSD conversation, one step at a time. `send` waits for the answer, which may arrive before the OK or long after
 * it. A message that arrives at any other time is a late answer, or belongs to a conversation that the network started.
 */
export class UssdSession {
  readonly #options: UssdSessionOptions
  readonly #tasks = new TaskQueue()
  #encodings: readonly UssdEncoding[]
  #awaited: { readonly pause: Pause; answer: UssdResponse | undefined } | undefined

  constructor(options: UssdSessionOptions) {
    this.#options = options
    this.#encodings = options.encodings
  }

  handle(line: ResponseLine): boolean {
    if (line.prefix !== '+CUSD') return false
    const answer = ussdAnswerIn(line, this.#encodings[0] ?? 'plain')
    if (answer === undefined) return true
    if (this.#awaited === undefined) {
      this.#options.onNews(answer)
    } else {
      this.#awaited.answer = answer
      this.#awaited.pause.wake()
    }
    return true
  }

  send(text: string): Promise<UssdOutcome> {
    return this.#tasks.run(() => this.#send(text))
  }

  async cancel(): Promise<void> {
    await runQuery(this.#options.executor, cancelUssd, this.#options.cancellation)
  }

  async #send(text: string): Promise<UssdOutcome> {
    const { clock, cancellation, answerLimitMs } = this.#options
    const awaited = { pause: new Pause(clock), answer: undefined as UssdResponse | undefined }
    this.#awaited = awaited
    try {
      const refusal = await this.#request(text)
      if (refusal) return refusal
      const until = clock.nowMs() + answerLimitMs
      while (awaited.answer === undefined && !cancellation.cancelled && clock.nowMs() < until) {
        await awaited.pause.wait(until - clock.nowMs(), cancellation)
      }
      if (awaited.answer !== undefined) return { kind: 'answer', ...awaited.answer }
      return cancellation.cancelled ? { kind: 'not-ready' } : { kind: 'no-answer' }
    } finally {
      this.#awaited = undefined
    }
  }

  /** Tries the forms of the text one after the other, because each firmware accepts different forms. */
  async #request(text: string): Promise<UssdOutcome | undefined> {
    const { executor, cancellation } = this.#options
    let refusal: UssdOutcome = { kind: 'text-not-writable' }
    for (const encoding of this.#encodings) {
      const request = sendUssd(text, encoding)
      if (request === undefined) continue
      const answer = await runQuery(executor, request, cancellation)
      switch (answer.kind) {
        case 'value':
          this.#encodings = [encoding, ...this.#encodings.filter((other) => other !== encoding)]
          if (answer.value !== 'sent' && this.#awaited) this.#awaited.answer ??= answer.value
          return undefined
        case 'refused':
          refusal = { kind: 'refused', error: answer.error }
          // The network has answered, so the form of the text is not the reason for the refusal.
          if (this.#awaited?.answer !== undefined) return undefined
          if (answer.error.class === 'registration' || answer.error.class === 'sim') return refusal
          break
        case 'unanswered':
          // Some modems send no OK after the network's answer.
          return undefined
        case 'unreadable':
        case 'not-sent':
          return { kind: 'not-ready' }
      }
    }
    return refusal
  }
}
