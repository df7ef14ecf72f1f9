import type { DeviceAnswer } from '@smsgw/contract/devices/device'
import type { ConversationDetails } from '@smsgw/contract/inbox/shared-inbox'
import type { LiveEventContents } from '@smsgw/contract/live/live-event'
import type { PushContent, PushEvent } from '@smsgw/contract/live/push-event'
import type { MessageStateAnswer } from '@smsgw/contract/messages/message'
import type { LiveFeed } from '../api/live/live-feed.ts'
import { get } from '../api/request/ask.ts'
import { locale } from '../words/text.ts'

const lockName = 'smsgw-notifications'
/** How long a device must be offline before a notification. Push notifications use the same time. */
const offlineMs = 180_000

/**
 * Shows notifications of live events. If several tabs are open, only the tab that holds a lock of the browser shows
 * them. Returns the function that stops the notifications.
 */
export function watchEvents(
  feed: Pick<LiveFeed, 'onEvent'>,
  events: readonly PushEvent[],
  show: (content: PushContent) => Promise<void>,
): () => void {
  const ending = new AbortController()
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  const notify = (read: () => Promise<PushContent | undefined>) => {
    // Shows nothing if the gateway never answers. The console itself shows that it is offline.
    answerOf(read, ending.signal)
      .then((one) => (one === undefined || ending.signal.aborted ? undefined : show(one)))
      .catch(() => undefined)
  }
  const begin = () =>
    feed.onEvent((kind, data) => {
      if (kind === 'inbox.received' && events.includes('message.received'))
        notify(() => received(data as LiveEventContents['inbox.received']))
      if (kind === 'message.changed' && events.includes('message.failed'))
        notify(() => failed(data as LiveEventContents['message.changed']))
      if (kind === 'device.changed' && events.includes('device.offline')) {
        const { id } = data as LiveEventContents['device.changed']
        clearTimeout(timers.get(id))
        timers.set(
          id,
          setTimeout(() => notify(() => offline(id)), offlineMs),
        )
      }
    })
  navigator.locks
    .request(lockName, { signal: ending.signal }, () => {
      const stop = begin()
      return new Promise<void>((resolve) => {
        ending.signal.addEventListener('abort', () => {
          stop()
          for (const timer of timers.values()) clearTimeout(timer)
          resolve()
        })
      })
    })
    // The request is rejected if `watchEvents` ends before the lock is granted.
    .catch(() => undefined)
  return () => ending.abort()
}

const retryPausesMs = [1_000, 5_000, 20_000]

/**
 * Repeats the request after an error, so that no notification is lost if the gateway is busy or briefly interrupted.
 */
async function answerOf<Answer>(read: () => Promise<Answer>, ending: AbortSignal): Promise<Answer> {
  for (const pauseMs of retryPausesMs)
    try {
      return await read()
    } catch (error) {
      if (ending.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  return await read()
}

async function received({ sender }: LiveEventContents['inbox.received']): Promise<PushContent | undefined> {
  const details = await get<ConversationDetails>(`/conversations/${encodeURIComponent(sender)}/details`)
  return details.blockedAt === undefined ? contentOf('message.received', sender) : undefined
}

async function failed({ id, state }: LiveEventContents['message.changed']): Promise<PushContent | undefined> {
  if (state !== 'Failed') return undefined
  const { recipients } = await get<MessageStateAnswer>(`/messages/${encodeURIComponent(id)}`)
  const recipient = recipients.find((one) => one.state === 'Failed')
  return recipient && { ...contentOf('message.failed', recipient.phoneNumber), id }
}

async function offline(id: string): Promise<PushContent | undefined> {
  const { online, name } = await get<DeviceAnswer>(`/devices/${encodeURIComponent(id)}`)
  return online ? undefined : { ...contentOf('device.offline', name), id }
}

function contentOf(kind: PushEvent, about: string): PushContent {
  return { kind, about, count: 1, language: locale().language }
}
