import { setTimeout as sleep } from 'node:timers/promises'
import type { SmsGateway } from '@smsgw/client'
import type { InboxItem } from '@smsgw/client/openapi'
import { AccountFollower } from '../follow/account-follower.ts'
import { Channel, type ChannelOptions, type RunningChannel } from '../state/channel.ts'
import type { ChannelState } from '../state/channel-state.ts'
import { ChatQueue } from './chat-queue.ts'
import { type ChatSender, RefusedText } from './chat-sender.ts'
import { type ChatConfig, type ChatTarget, targetsFor, unusedTags } from './chat-settings.ts'

const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 300_000
/** A text that a target has not accepted after this time is dropped. */
const KEPT_MS = 3 * 86_400_000
/** A text that a target has refused this number of times is dropped, because later texts wait for it. */
const MOST_REFUSALS = 3
/** How long a stop waits for the answers of chat programs. */
const STOP_MS = 5_000

export interface ChatBridgeOptions extends ChannelOptions<ChatConfig> {
  readonly api: SmsGateway
  readonly sender: ChatSender
  readonly firstRetryMs?: number
}

/**
 * Shows received messages in chats. Each message is stored for each target before the position in the stream of events
 * is advanced, and removed when the target has accepted it. A failing target does not delay others.
 */
export function startChatBridge(options: ChatBridgeOptions): RunningChannel {
  const { config, api, database, log, sender, now } = options
  const channel = new Channel('chat', database, log, { api: 'connecting to the API' })
  const { state, signal } = channel
  const cutting = new AbortController()
  const queue = new ChatQueue(database)
  const lanes = new Map(
    config.CHAT_URLS.map((target) => [
      target.id,
      new Lane({ ...options, queue, target, signal, cut: cutting.signal, state }),
    ]),
  )
  const removed = queue.keepOnly([...lanes.keys()])
  if (removed > 0) log.warn({ texts: removed }, 'texts dropped: their chats are no longer in CHAT_URLS')
  for (const tag of unusedTags(config)) log.warn({ tag }, 'CHAT_RULES contains a tag that no address in CHAT_URLS has')
  const follower = new AccountFollower({
    channel,
    api,
    async onReceived(item) {
      const targets = targetsFor(config, item.sender).map(({ id }) => id)
      queue.add(targets, item.id, shownText(config.CHAT_TEMPLATE, item), now())
      for (const id of targets) lanes.get(id)?.wake()
    },
    onState: () => Promise.resolve(),
  })
  const running = Promise.all([follower.run(), ...[...lanes.values()].map((lane) => lane.run())])
  return {
    report: () => state.report(),
    async stop() {
      channel.stop()
      // Waits for the answer, because otherwise the next start would send the same text again.
      const timer = setTimeout(() => cutting.abort(), STOP_MS)
      await running
      clearTimeout(timer)
      sender.close()
    },
  }
}

interface LaneOptions extends ChatBridgeOptions {
  readonly queue: ChatQueue
  readonly target: ChatTarget
  readonly signal: AbortSignal
  /** Aborts the request that sends the current text. */
  readonly cut: AbortSignal
  readonly state: ChannelState
}

/** Sends the texts of one target, one after the other. */
class Lane {
  readonly #options: LaneOptions
  #arrived = Promise.withResolvers<void>()

  constructor(options: LaneOptions) {
    this.#options = options
    options.signal.addEventListener('abort', () => this.wake())
  }

  wake(): void {
    this.#arrived.resolve()
  }

  async run(): Promise<void> {
    const { queue, target, sender, log, signal, cut, state, now, firstRetryMs = FIRST_RETRY_MS } = this.#options
    let retryMs = firstRetryMs
    let refusals = 0
    while (!signal.aborted) {
      this.#arrived = Promise.withResolvers()
      const next = queue.first(target.id)
      if (next === undefined) {
        await this.#arrived.promise
        continue
      }
      const context = { target: nameOf(target), item: next.item }
      try {
        await sender.send(target, next.text, cut)
        queue.remove(next.number)
        state.set(target.id, undefined)
        retryMs = firstRetryMs
        refusals = 0
      } catch (error) {
        if (cut.aborted) return
        const reason = (error as Error).message
        state.set(target.id, `${nameOf(target)} does not accept texts: ${reason}`)
        refusals = error instanceof RefusedText ? refusals + 1 : 0
        const isRefused = refusals >= MOST_REFUSALS
        if (isRefused || now() - next.at > KEPT_MS) {
          const why = isRefused ? 'a chat refused it' : 'a chat did not accept it for three days'
          log.error({ ...context, reason }, `text dropped: ${why}`)
          queue.remove(next.number)
          refusals = 0
          continue
        }
        log.warn({ ...context, reason }, `a chat did not accept a text, retrying in ${Math.round(retryMs / 1_000)} s`)
        await sleep(retryMs, undefined, { signal }).catch(() => undefined)
        retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
      }
    }
  }
}

/** Returns a name for the log without secrets: the tag, or the kind of the address. */
function nameOf({ tag, url }: ChatTarget): string {
  const { protocol = '', host = '' } = URL.parse(url) ?? {}
  return tag ?? (protocol.startsWith('http') ? host : protocol.replace(':', ''))
}

function shownText(template: string, { sender, recipient = '', text, contentPreview, createdAt }: InboxItem): string {
  const values: Readonly<Record<string, string>> = { sender, recipient, text: text ?? contentPreview, time: createdAt }
  return template.replace(/\{(sender|recipient|text|time)\}/g, (_, name: string) => values[name] ?? '')
}
