import type { LiveEventContents, LiveEventKind } from '@smsgw/contract/live/live-event'
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useSyncExternalStore } from 'react'
import type { LiveFeed, LiveState } from './live-feed.ts'
import { invalidate, refresh } from './newest-first.ts'

/** The queries that each event invalidates. The log page handles its events itself. */
const madeOld: { readonly [Kind in LiveEventKind]: (data: LiveEventContents[Kind]) => readonly QueryKey[] } = {
  'message.created': () => [...talk, ['conversation-details'], ['approvals'], ['statistics']],
  'message.changed': ({ id }) => [
    ...talk,
    ['approvals'],
    ['statistics'],
    ['messages', id],
    ['messages', 'any-sent'],
    ['timeline', id],
  ],
  'inbox.received': () => [...talk, ['statistics']],
  'conversation.changed': ({ number }) => [
    ['conversations', ''],
    ['thread', number],
    ['conversation-details', number],
    ['unread'],
    ['assignees'],
  ],
  'labels.changed': () => [['labels'], ['conversations', ''], ['conversation-details']],
  // Also reloads messages, because they may wait for this device.
  'device.changed': ({ id }) => [['devices'], ['device', id], ...whatWaits],
  'device.waiting': () => whatWaits,
  'device.telemetry': ({ id }) => [['devices'], ['device', id], ['telemetry', id]],
  'webhook.attempted': ({ webhookId }) => [['deliveries', webhookId], ['timeline']],
  'webhook.changed': () => [['webhooks']],
  'log.added': () => [],
  'settings.changed': () => [['settings']],
}

/**
 * Lists that show conversations. Results of a search are not updated, because a search each second would load the
 * gateway too much.
 */
const talk: readonly QueryKey[] = [['conversations', ''], ['thread'], ['unread'], ['message-list'], ['virtual-phone']]

const whatWaits: readonly QueryKey[] = [['conversations', ''], ['thread'], ['message-list'], ['messages'], ['timeline']]

/** Lists that are read page by page. All other queries are reloaded automatically when somebody returns to the page. */
const lists: readonly QueryKey[] = [['conversations', ''], ['thread'], ['message-list'], ['deliveries']]

/** The queries that the page polls while there is no event stream. */
const allKeys: readonly QueryKey[] = [
  ...talk,
  ...[
    'approvals',
    'statistics',
    'messages',
    'timeline',
    'devices',
    'device',
    'telemetry',
    'deliveries',
    'webhooks',
    'settings',
    'logs',
    'labels',
    'assignees',
    'conversation-details',
  ].map((key) => [key]),
]
const awayMs = 4_000

/** How long events are collected before queries are reloaded, so that a busy gateway does not get endless requests. */
const gatherMs = 150
const leastPauseMs = 1_000
/** The pause between reloads of the statistics, which count the messages of a week. */
const longestPauseMs = 5_000

export const LiveContext = createContext<LiveFeed | undefined>(undefined)

/** Reloads the queries that are outdated by events. */
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

/** @param listener must stay the same from one render to the next (`useCallback`) */
export function useLiveEvent<Kind extends LiveEventKind>(
  kind: Kind,
  listener: (data: LiveEventContents[Kind]) => void,
): void {
  const feed = useContext(LiveContext)
  useEffect(
    () => feed?.onEvent((happened, data) => happened === kind && listener(data as LiveEventContents[Kind])),
    [feed, kind, listener],
  )
}

interface Old {
  readonly queryKey: QueryKey
  readonly dueMs: number
  /** The names of the changed items. */
  readonly named: Set<string>
}

/** Reloads queries after events of the feed. Returns the function that stops this. */
export function refresher(feed: Pick<LiveFeed, 'onEvent' | 'onState' | 'state'>, client: QueryClient): () => void {
  const old = new Map<string, Old>()
  const askedMs = new Map<string, number>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const makeOld = (queryKey: QueryKey, name: string | undefined) => {
    if (client.getQueryCache().findAll({ queryKey }).length === 0) return
    const key = JSON.stringify(queryKey)
    const nowMs = performance.now()
    const dueMs = Math.max(nowMs + gatherMs, (askedMs.get(key) ?? Number.NEGATIVE_INFINITY) + leastPauseOf(queryKey))
    const found = old.get(key) ?? { queryKey, dueMs, named: new Set() }
    old.set(key, found)
    if (name !== undefined) found.named.add(name)
  }
  const plan = () => {
    const nextMs = Math.min(...[...old.values()].map(({ dueMs }) => dueMs))
    if (old.size > 0) timer ??= setTimeout(askAgain, Math.max(0, nextMs - performance.now()))
  }
  const askAgain = () => {
    timer = undefined
    const nowMs = performance.now()
    for (const [key, atMs] of askedMs) if (nowMs - atMs > longestPauseMs) askedMs.delete(key)
    for (const [key, { queryKey, dueMs, named }] of old) {
      if (dueMs > nowMs) continue
      old.delete(key)
      askedMs.set(key, nowMs)
      void refresh(client, [queryKey], named)
    }
    plan()
  }
  const stop = feed.onEvent((kind, data) => {
    if (kind === 'reset') {
      const all = client.getQueryCache().findAll({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
      for (const query of all) void invalidate(client, query)
    } else {
      const { id, deliveryId } = data as { readonly id?: string; readonly deliveryId?: string }
      for (const queryKey of madeOld[kind](data as never)) makeOld(queryKey, deliveryId ?? id)
    }
    plan()
  })
  // Reloads when the stream starts. It does not report changes that happened after the first answers, but before it
  // started.
  const stopWatching = feed.onState(() => {
    if (feed.state === 'live') void refresh(client, allKeys)
  })
  const asking = setInterval(() => {
    if (feed.state !== 'live') void refresh(client, allKeys)
  }, awayMs)
  // Reloads when somebody returns to the page, because a computer that was suspended may not have noticed yet that its
  // stream has ended.
  const comeBack = () => document.visibilityState === 'visible' && void refresh(client, lists)
  document.addEventListener('visibilitychange', comeBack)
  return () => {
    stop()
    stopWatching()
    document.removeEventListener('visibilitychange', comeBack)
    clearTimeout(timer)
    clearInterval(asking)
  }
}

function leastPauseOf(queryKey: QueryKey): number {
  return queryKey[0] === 'statistics' ? longestPauseMs : leastPauseMs
}
