import type { Cancellation } from '../cancellation.ts'
import type { Clock } from '../clock.ts'
import type { UssdOutcome } from '../commands/ussd/ussd-session.ts'
import { Pause } from '../pause.ts'
import { TaskQueue } from '../task-queue.ts'
import { ussdPending } from './hilink-errors.ts'
import type { WebSession } from './web-session.ts'
import { childNumber, childText } from './xml.ts'

/**
 * USSD through the web interface: `send` passes a code or a reply to the network, `get` is refused until the network
 * has answered, and `status` is not 0 while the session is open.
 *
 * States: closed, asking, and open. In the state open, the network expects a reply, so the next text is the reply.
 *
 * While a session is open, the stick refuses the next code. So the session is released after every outcome except a
 * request for a reply.
 */
export class StickUssd {
  readonly #web: WebSession
  readonly #clock: Clock
  readonly #tasks = new TaskQueue()

  constructor(web: WebSession, clock: Clock) {
    this.#web = web
    this.#clock = clock
  }

  send(text: string, cancellation: Cancellation): Promise<UssdOutcome> {
    return this.#tasks.run(async () => {
      const outcome = await this.#ask(text, cancellation)
      if (outcome.kind !== 'answer' || outcome.status !== 'asks') await this.cancel()
      return outcome
    })
  }

  async cancel(): Promise<void> {
    await this.#web.get('/api/ussd/release')
  }

  async #ask(text: string, cancellation: Cancellation): Promise<UssdOutcome> {
    const sent = await this.#web.post('/api/ussd/send', [
      ['content', text],
      ['codeType', 'CodeType'],
      ['timeout', ''],
    ])
    if (sent.kind === 'refused') return { kind: 'refused', error: sent.error }
    if (sent.kind !== 'value') return { kind: 'not-ready' }
    const untilMs = this.#clock.nowMs() + answerLimitMs
    while (this.#clock.nowMs() < untilMs && !cancellation.cancelled) {
      await new Pause(this.#clock).wait(pollMs, cancellation)
      const answer = await this.#web.get('/api/ussd/get')
      if (answer.kind === 'value') {
        const status = (await this.#isOpen()) ? 'asks' : 'answered'
        return { kind: 'answer', status, text: childText(answer.value, 'content') }
      }
      if (answer.kind === 'refused' && answer.error.code !== ussdPending) {
        return { kind: 'refused', error: answer.error }
      }
    }
    return cancellation.cancelled ? { kind: 'not-ready' } : { kind: 'no-answer' }
  }

  /**
   * Returns false also for firmware without `status`, because such firmware does not distinguish a menu from another
   * answer.
   */
  async #isOpen(): Promise<boolean> {
    const status = await this.#web.get('/api/ussd/status')
    return status.kind === 'value' && (childNumber(status.value, 'result') ?? 0) !== 0
  }
}

const pollMs = 1_000
const answerLimitMs = 120_000
