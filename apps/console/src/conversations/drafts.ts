import { useCallback, useSyncExternalStore } from 'react'

/**
 * Unsent texts of each account and conversation. The browser stores them, so that a reload or a closed tab loses none.
 */
const drafts = new Map<string, string>()
/** Keys of the texts that the browser could not store. They are only in memory. */
const unstored = new Set<string>()
const storagePrefix = 'smsgw-draft '
const watchers = new Set<() => void>()

/** @param conversation the number, or "new" while a new message has no recipient */
export function draftKey(username: string, conversation = 'new'): string {
  return `${username} ${conversation}`
}

export function draftOf(key: string): string {
  const known = drafts.get(key)
  if (known !== undefined) return known
  const stored = globalThis.localStorage?.getItem(storagePrefix + key) ?? ''
  drafts.set(key, stored)
  return stored
}

export function keepDraft(key: string, text: string): void {
  drafts.set(key, text)
  if (text === '') globalThis.localStorage?.removeItem(storagePrefix + key)
  if (text === '' || store(storagePrefix + key, text)) unstored.delete(key)
  else unstored.add(key)
  for (const watcher of watchers) watcher()
}

/** Returns false if the storage of the browser is full. The text can still be sent, but a reload loses it. */
function store(name: string, text: string): boolean {
  try {
    globalThis.localStorage?.setItem(name, text)
    return true
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'QuotaExceededError')) throw error
    return false
  }
}

/** Restores the draft after sending failed. The unsent text is put before any text that was written meanwhile. */
export function putBack(key: string, text: string): void {
  const since = draftOf(key)
  keepDraft(key, since === '' ? text : `${text}\n${since}`)
}

/** Moves a draft to the conversation that the page opens. */
export function moveDraft(from: string, to: string): void {
  const text = draftOf(from)
  if (text === '') return
  keepDraft(from, '')
  putBack(to, text)
}

/** Removes the drafts of a user from the browser. */
export function removeDrafts(username: string): void {
  const isOf = (key: string) => key.startsWith(draftKey(username, ''))
  const stored = Object.keys(globalThis.localStorage ?? {}).filter((name) => name.startsWith(storagePrefix))
  const keys = new Set([...drafts.keys(), ...stored.map((name) => name.slice(storagePrefix.length))])
  for (const key of keys) if (isOf(key)) keepDraft(key, '')
}

/**
 * Removes all drafts from memory that the browser stores for the next sign-in of their users. After a session has
 * expired, the same user finds the other drafts in memory.
 */
export function forgetDrafts(): void {
  for (const key of drafts.keys()) if (!unstored.has(key)) drafts.delete(key)
}

/** Removes the drafts of all other users from memory. */
export function forgetDraftsOfOthers(username: string): void {
  for (const key of drafts.keys()) {
    if (key.startsWith(draftKey(username, ''))) continue
    drafts.delete(key)
    unstored.delete(key)
  }
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
