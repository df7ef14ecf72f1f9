import type { LiveEventKind, LiveEvents } from '@smsgw/contract/live-event'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useSyncExternalStore } from 'react'
import type { LiveFeed, LiveKind, LiveState } from './live-feed.ts'

/** Which answers each kind of event makes old. */
const madeOld: Readonly<Record<LiveKind, readonly string[]>> = {
  'message.created': ['conversations', 'thread', 'messages', 'statistics', 'virtual-phone'],
  'message.changed': ['conversations', 'thread', 'messages', 'timeline', 'statistics', 'virtual-phone'],
  'inbox.received': ['conversations', 'thread', 'statistics', 'virtual-phone'],
  'device.changed': ['devices', 'device'],
  'device.telemetry': ['devices', 'device', 'telemetry'],
  'webhook.attempted': ['deliveries', 'timeline'],
  'webhook.changed': ['webhooks'],
  'log.added': [],
  'settings.changed': ['settings'],
  reset: [],
}

/** The page of the logs adds what it is told by itself. */
const allKeys = [...new Set([...Object.values(madeOld).flat(), 'logs'])]

/** How long what comes in a burst is gathered before anything is asked again: a busy gateway must not be asked without end. */
const gatherMs = 150
const leastPauseMs = 1_000
/** How often the page asks by itself while nobody tells it. */
const awayMs = 4_000

export const LiveContext = createContext<LiveFeed | undefined>(undefined)

/** Asks again for what the events make old. */
export function useLiveUpdates(feed: LiveFeed): void {
  const client = useQueryClient()
  useEffect(() => refresher(feed, client), [feed, client])
}

export function useLiveState(): LiveState {
  const feed = useContext(LiveContext)
  return useSyncExternalStore(
    (watcher) => feed?.onState(watcher) ?? (() => undefined),
    () => feed?.state ?? 'connecting',
  )
}

/** `listener` must stay the same from one drawing to the next (`useCallback`). */
export function useLiveEvent<Kind extends LiveEventKind>(kind: Kind, listener: (data: LiveEvents[Kind]) => void): void {
  const feed = useContext(LiveContext)
  useEffect(
    () => feed?.onEvent((happened, data) => happened === kind && listener(data as LiveEvents[Kind])),
    [feed, kind, listener],
  )
}

function refresher(feed: LiveFeed, client: QueryClient): () => void {
  const old = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastMs = 0
  const refresh = () => {
    timer = undefined
    lastMs = performance.now()
    for (const key of old) void client.invalidateQueries({ queryKey: [key] })
    old.clear()
  }
  const stop = feed.onEvent((kind) => {
    if (kind === 'reset') void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
    for (const key of madeOld[kind]) old.add(key)
    if (old.size > 0) timer ??= setTimeout(refresh, Math.max(gatherMs, lastMs + leastPauseMs - performance.now()))
  })
  const asking = setInterval(() => {
    if (feed.state !== 'live') for (const key of allKeys) void client.invalidateQueries({ queryKey: [key] })
  }, awayMs)
  return () => {
    stop()
    clearTimeout(timer)
    clearInterval(asking)
  }
}
