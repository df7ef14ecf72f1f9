import { useCallback, useSyncExternalStore } from 'react'

/** What was begun and not sent, for each account and conversation, as long as the page is open. */
const drafts = new Map<string, string>()
const watchers = new Set<() => void>()

/** Of what an account says in a conversation, or in one that has no number yet. */
export function draftKey(username: string, conversation = 'new'): string {
  return `${username} ${conversation}`
}

export function draftOf(key: string): string {
  return drafts.get(key) ?? ''
}

export function keepDraft(key: string, text: string): void {
  drafts.set(key, text)
  for (const watcher of watchers) watcher()
}

/** What was not sent after all, before whatever was written since. */
export function putBack(key: string, text: string): void {
  const since = draftOf(key)
  keepDraft(key, since === '' ? text : `${text}\n${since}`)
}

/** What was written where it was sent from goes on where the page goes. */
export function moveDraft(from: string, to: string): void {
  const text = draftOf(from)
  if (text === '') return
  keepDraft(from, '')
  putBack(to, text)
}

export function useDraft(key: string): string {
  return useSyncExternalStore(
    watch,
    useCallback(() => draftOf(key), [key]),
  )
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
