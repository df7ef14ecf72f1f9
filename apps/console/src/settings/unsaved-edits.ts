import { useSyncExternalStore } from 'react'
import type { SettingValue } from '../api/settings.ts'

export type Edits = Readonly<Record<string, SettingValue>>

// Unsaved changes are kept in memory while other pages are shown. A reload or a closed tab would lose them, so the
// browser asks first.
const edits = new Map<string, Edits>()
const watchers = new Set<() => void>()
const none: Edits = {}

/** @param owner the account and the section */
export function useEdits(owner: string): readonly [Edits, (next: Edits) => void] {
  const current = useSyncExternalStore(watch, () => editsOf(owner))
  return [current, (next) => keepEdits(owner, next)]
}

export function editsOf(owner: string): Edits {
  return edits.get(owner) ?? none
}

export function keepEdits(owner: string, next: Edits): void {
  if (Object.keys(next).length === 0) edits.delete(owner)
  else edits.set(owner, next)
  if (edits.size > 0) globalThis.addEventListener?.('beforeunload', askFirst)
  else globalThis.removeEventListener?.('beforeunload', askFirst)
  for (const watcher of watchers) watcher()
}

/** Removes the unsaved changes of a user. */
export function removeEdits(username: string): void {
  for (const owner of edits.keys()) if (owner.startsWith(`${username} `)) keepEdits(owner, none)
}

export function removeEditsOfOthers(username: string): void {
  for (const owner of edits.keys()) if (!owner.startsWith(`${username} `)) keepEdits(owner, none)
}

function askFirst(event: Event): void {
  event.preventDefault()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
