import { type PushEvent, pushEvents } from '@smsgw/contract/live/push-event'
import { useSyncExternalStore } from 'react'

/** The notifications that a user chose for this browser. */
export interface NotificationChoice {
  /** The user who chose. Another user of this browser gets no notifications. */
  readonly username: string
  readonly events: readonly PushEvent[]
  readonly showsText: boolean
  /** The id of the subscription. Without a subscription, notifications are shown only while the console is open. */
  readonly subscriptionId?: string
}

const storageKey = 'smsgw-notifications'
const watchers = new Set<() => void>()
let known: { readonly text: string | null; readonly choice: NotificationChoice | undefined } | undefined

/** The choice of this user, or undefined while notifications are off. */
export function useNotificationChoice(username: string): NotificationChoice | undefined {
  const choice = useSyncExternalStore(watch, readChoice)
  return choice?.username === username ? choice : undefined
}

export function readChoice(): NotificationChoice | undefined {
  const text = localStorage.getItem(storageKey)
  if (known?.text !== text) known = { text, choice: parsed(text) }
  return known.choice
}

export function storeChoice(choice: NotificationChoice | undefined): void {
  if (choice === undefined) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, JSON.stringify(choice))
  for (const watcher of watchers) watcher()
}

function parsed(text: string | null): NotificationChoice | undefined {
  if (text === null) return undefined
  try {
    const { username, events, showsText, subscriptionId } = JSON.parse(text)
    if (typeof username !== 'string' || !Array.isArray(events)) return undefined
    return {
      username,
      events: pushEvents.filter((event) => events.includes(event)),
      showsText: showsText === true,
      ...(typeof subscriptionId === 'string' && { subscriptionId }),
    }
  } catch {
    return undefined // another program has written this value
  }
}

/** Calls the watcher when this tab or another tab of the browser changes the choice. */
function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  globalThis.addEventListener('storage', watcher)
  return () => {
    watchers.delete(watcher)
    globalThis.removeEventListener('storage', watcher)
  }
}
