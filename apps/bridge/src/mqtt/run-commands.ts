import { setTimeout as sleep } from 'node:timers/promises'
import type { SmsGateway } from '@smsgw/client'
import { ApiError, AuthenticationError, RateLimitError, TimeoutError, UnavailableError } from '@smsgw/client/errors'
import type { Channel } from '../state/channel.ts'
import type { Broker } from './broker.ts'
import { type MqttCommand, readCommand } from './command.ts'
import type { CommandQueue, QueuedCommand } from './command-queue.ts'
import { FailingCommands } from './failing-commands.ts'
import { isResponseTopic, type Topics } from './topics.ts'

const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 30_000
/**
 * The longest pause that the API may request. If the API requests a longer pause, for example because of the daily
 * limit of an API key, the command is refused.
 */
const LONGEST_LIMIT_SECONDS = 60

export interface CommandRunnerOptions {
  /** The client, which has a short time limit and does not repeat requests, because other commands wait. */
  readonly api: SmsGateway
  readonly queue: CommandQueue
  readonly broker: Pick<Broker, 'publishOnce' | 'answer'>
  readonly channel: Pick<Channel, 'sent' | 'log' | 'signal'>
  readonly topics: Topics
  /** The clock that measures how old a command is. Changes of the system clock do not affect it. */
  readonly now: () => number
  /** Waits for this time. Ends early when the signal aborts. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
  readonly onSent: (messageId: string) => void
  /** Called when a command has left the queue. */
  readonly onRemoved?: () => void
}

/** The answer to a command, on the topic `result`. */
export type CommandResult =
  | { readonly id: string | null; readonly accepted: true; readonly messageId: string }
  | { readonly id: string | null; readonly accepted: false; readonly error: string }

/** Passes queued commands to the API, one after the other, and publishes their results. */
export class CommandRunner {
  readonly #options: CommandRunnerOptions
  readonly #now: () => number
  readonly #failing = new FailingCommands()
  #wake = Promise.withResolvers<void>()

  constructor(options: CommandRunnerOptions) {
    this.#options = options
    this.#now = options.now
  }

  /** Must be called when a command was queued. */
  wake(): void {
    this.#wake.resolve()
  }

  /** Runs until the signal aborts. */
  async run(): Promise<void> {
    const { queue, channel, pause = sleepFor } = this.#options
    const { signal, log } = channel
    signal.addEventListener('abort', () => this.wake(), { once: true })
    let retryMs = FIRST_RETRY_MS
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers()
      const startedAt = this.#now()
      const command = queue.first(this.#failing.waiting(startedAt))
      if (command === undefined) {
        await this.#untilNextAttempt(pause)
        continue
      }
      try {
        const result = await this.#resultOf(command, startedAt)
        if (result === undefined) continue
        await this.#finish(command, result)
        retryMs = FIRST_RETRY_MS
      } catch (error) {
        if (signal.aborted) return
        log.warn({ err: error }, `MQTT command not finished, retrying in ${retryMs / 1000} s`)
        await pause(retryMs, signal)
        retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
      }
    }
  }

  /** Waits for a new command, or for the next attempt of a failing command. */
  async #untilNextAttempt(pause: typeof sleepFor): Promise<void> {
    const nextAttempt = this.#failing.nextAttempt()
    if (nextAttempt === undefined) return this.#wake.promise
    const woken = new AbortController()
    await Promise.race([this.#wake.promise, pause(nextAttempt - this.#now(), woken.signal)])
    woken.abort()
  }

  async #finish(queued: QueuedCommand, result: CommandResult): Promise<void> {
    const { queue, broker, topics, channel, onSent, onRemoved } = this.#options
    const { log } = channel
    const text = JSON.stringify(result)
    await broker.publishOnce(`result:${queued.number}`, topics.result, text)
    const { responseTopic } = queued
    if (responseTopic !== undefined && !isResponseTopic(responseTopic, topics)) {
      log.warn(
        { topic: responseTopic },
        'response topic of an MQTT command is not allowed: the result is published only to the result topic',
      )
    } else if (responseTopic !== undefined) {
      await broker.answer(responseTopic, text, queued.correlationData).catch((error: Error) => {
        log.warn({ reason: error.message }, 'could not publish the answer to an MQTT command')
      })
    }
    queue.remove(queued.number)
    this.#failing.finish(queued.number, result.accepted, this.#now())
    onRemoved?.()
    if (result.accepted) onSent(result.messageId)
  }

  /** Returns the result of a command. Returns undefined if another command has to be tried first. */
  async #resultOf(queued: QueuedCommand, startedAt: number): Promise<CommandResult | undefined> {
    const read = readCommand(queued.payload)
    if ('problem' in read) return { id: read.id ?? null, accepted: false, error: read.problem }
    const id = read.command.id ?? null
    try {
      const messageId = await this.#send(read.command, queued.key)
      return { id, accepted: true, messageId }
    } catch (error) {
      if (error instanceof UnavailableError || error instanceof TimeoutError)
        return this.#afterFailure(queued, id, error, startedAt)
      if (!(error instanceof ApiError) || mayRepeat(error)) throw error
      return { id, accepted: false, error: error.message }
    }
  }

  #afterFailure({ number }: QueuedCommand, id: string | null, error: Error, startedAt: number) {
    const { log } = this.#options.channel
    const next = this.#failing.fail(number, startedAt, this.#now())
    if (next === 'pause') throw error
    if (next === 'next') {
      log.warn({ command: id, err: error }, 'MQTT command failed, trying the next command')
      return undefined
    }
    const { message: reason } = error
    log.error(
      { command: id, reason },
      'MQTT command dropped: it failed for an hour while the API accepted other commands',
    )
    return { id, accepted: false, error: `this command was dropped because it failed for an hour: ${reason}` } as const
  }

  async #send({ id, ...message }: MqttCommand, idempotencyKey: string): Promise<string> {
    const { api, channel } = this.#options
    const { sent, signal } = channel
    const accepted = await api.messages.send(message, { idempotencyKey, signal, allowShortCodes: true })
    sent.add(accepted.id, JSON.stringify({ id: id ?? null }), this.#now())
    return accepted.id
  }
}

function mayRepeat(error: ApiError): boolean {
  if (error instanceof RateLimitError) return (error.retryAfterSeconds ?? 0) <= LONGEST_LIMIT_SECONDS
  // Wrong credentials are a fault of the settings, not of the command.
  return error instanceof AuthenticationError || error.status === 408
}

async function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, { signal }).catch(() => undefined)
}
