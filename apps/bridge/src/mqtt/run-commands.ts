import { setTimeout as sleep } from 'node:timers/promises'
import type { SmsGateway } from '@smsgw/client'
import { ApiError, AuthenticationError, RateLimitError, UnavailableError } from '@smsgw/client/errors'
import type { Log } from '@smsgw/daemon/log'
import type { SentMessages } from '../state/sent-messages.ts'
import type { Broker } from './broker.ts'
import { type Command, readCommand } from './command.ts'
import type { CommandQueue, QueuedCommand } from './command-queue.ts'
import type { Topics } from './topics.ts'

const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 30_000
/** A longer limit, such as the daily one of an API key, refuses the command. */
const LONGEST_LIMIT_SECONDS = 60

export interface CommandRunnerOptions {
  readonly api: SmsGateway
  readonly queue: CommandQueue
  readonly broker: Broker
  readonly sent: SentMessages
  readonly topics: Topics
  readonly log: Log
  readonly signal: AbortSignal
  readonly now: () => number
  readonly onSent: (messageId: string) => void
}

/** The answer to a command, on the topic `result`. */
export type CommandResult =
  | { readonly id: string | null; readonly accepted: true; readonly messageId: string }
  | { readonly id: string | null; readonly accepted: false; readonly error: string }

/** Passes queued commands to the API, one after the other, and publishes their results. */
export class CommandRunner {
  readonly #options: CommandRunnerOptions
  #wake = Promise.withResolvers<void>()

  constructor(options: CommandRunnerOptions) {
    this.#options = options
  }

  /** A command was queued. */
  wake(): void {
    this.#wake.resolve()
  }

  /** Runs until the signal aborts. */
  async run(): Promise<void> {
    const { queue, signal, log } = this.#options
    signal.addEventListener('abort', () => this.wake(), { once: true })
    let retryMs = FIRST_RETRY_MS
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers()
      const command = queue.first()
      if (command === undefined) {
        await this.#wake.promise
        continue
      }
      try {
        await this.#finish(command)
        retryMs = FIRST_RETRY_MS
      } catch (error) {
        if (signal.aborted) return
        log.warn({ err: error }, `MQTT command not finished, retrying in ${retryMs / 1000} s`)
        await sleep(retryMs, undefined, { signal }).catch(() => undefined)
        retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
      }
    }
  }

  async #finish(queued: QueuedCommand): Promise<void> {
    const { queue, broker, topics, log, onSent } = this.#options
    const result = await this.#resultOf(queued)
    const text = JSON.stringify(result)
    await broker.publishOnce(`result:${queued.number}`, topics.result, text)
    if (queued.responseTopic !== undefined && isTopic(queued.responseTopic)) {
      await broker.answer(queued.responseTopic, text, queued.correlationData).catch((error: Error) => {
        log.warn({ reason: error.message }, 'could not publish the answer to an MQTT command')
      })
    }
    queue.remove(queued.number)
    if (result.accepted) onSent(result.messageId)
  }

  async #resultOf(queued: QueuedCommand): Promise<CommandResult> {
    const read = readCommand(queued.payload)
    if ('problem' in read) return { id: read.id ?? null, accepted: false, error: read.problem }
    const id = read.command.id ?? null
    try {
      const messageId = await this.#send(read.command, queued.key)
      return { id, accepted: true, messageId }
    } catch (error) {
      if (!(error instanceof ApiError) || mayRepeat(error)) throw error
      return { id, accepted: false, error: error.message }
    }
  }

  async #send({ id, ...message }: Command, idempotencyKey: string): Promise<string> {
    const { api, sent, signal, now } = this.#options
    const accepted = await api.messages.send(message, { idempotencyKey, signal })
    sent.add(accepted.id, JSON.stringify({ id: id ?? null }), now())
    return accepted.id
  }
}

function mayRepeat(error: ApiError): boolean {
  if (error instanceof RateLimitError) return (error.retryAfterSeconds ?? 0) <= LONGEST_LIMIT_SECONDS
  // Wrong credentials are a fault of the settings, not of the command.
  return error instanceof UnavailableError || error instanceof AuthenticationError || error.status === 408
}

/** The sender chooses the topic of the response; a pattern is not a topic. */
function isTopic(text: string): boolean {
  return text !== '' && !/[+#\0]/.test(text) && !text.startsWith('$')
}
