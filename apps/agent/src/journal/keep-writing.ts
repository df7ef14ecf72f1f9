import type { Clock } from '@smsgw/modem/clock'
import { Turns } from '../turns.ts'
import type { Change } from './change.ts'
import { type Journal, JournalError } from './journal.ts'

/**
 * Writes what has happened and cannot be undone: a full disk is waited out, since forgetting that something was sent
 * would send it twice. Resolves when it is on disk, and never when the journal is closed before: nothing that follows a
 * write may happen without it. Rejects when the journal refuses it for what it holds, which trying again does not change.
 *
 * What is about one message is written in its order, one after the other: a verdict must not be overtaken by what corrects
 * it, not even when the disk fails for the first and has room again for the second. What is about others goes beside it.
 */
export function keepWriting(journal: Journal, clock: Clock, onTrouble: (error: JournalError) => void): Keep {
  const turns = new Turns()
  let last: Promise<unknown> = Promise.resolve()
  let inTrouble = 0
  const written: Written = async (changes, options, before) => {
    // All others keep their order too while there is trouble.
    if (inTrouble > 0) await before
    let hasFailed = false
    try {
      while (!(await isWritten(changes, options))) {
        if (!hasFailed) inTrouble += 1
        hasFailed = true
        await before
        await new Promise<void>((resolve) => clock.after(retryMs, resolve))
      }
    } finally {
      if (hasFailed) inTrouble -= 1
    }
  }
  const isWritten = async (changes: readonly Change[], options: { readonly mayWait?: boolean } | undefined) => {
    try {
      await journal.write(changes, options)
      return true
    } catch (error) {
      if (!(error instanceof JournalError)) throw error
      onTrouble(error)
      if (error.reason === 'refused') throw error
      if (error.reason === 'closed') await never
      return false
    }
  }
  return (changes, options) => {
    if (changes.length === 0) return Promise.resolve()
    const before = last
    const done = turns.take(messagesOf(changes), () => written(changes, options, before))
    last = done.catch(() => undefined)
    return done
  }
}

function messagesOf(changes: readonly Change[]): readonly string[] {
  return changes.flatMap((change) => {
    const about = change.kind === 'event' ? change.event : change.kind === 'command-received' ? change.command : change
    return 'cmdId' in about ? [about.cmdId] : []
  })
}

type Written = (
  changes: readonly Change[],
  options: { readonly mayWait?: boolean } | undefined,
  before: Promise<unknown>,
) => Promise<void>

export type Keep = (changes: readonly Change[], options?: { readonly mayWait?: boolean }) => Promise<void>

const never = new Promise<never>(() => undefined)
const retryMs = 1000
