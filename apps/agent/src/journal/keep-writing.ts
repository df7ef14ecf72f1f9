import type { Clock } from '@smsgw/modem/clock'
import type { Change } from './change.ts'
import { type Journal, JournalError } from './journal.ts'

/**
 * Writes what has happened and cannot be undone: a full disk is waited out, since forgetting that something was sent
 * would send it twice. Resolves when it is on disk, and never when the journal is closed before: nothing that follows a
 * write may happen without it. Rejects when the journal refuses it for what it holds, which trying again does not change.
 */
export function keepWriting(journal: Journal, clock: Clock, onTrouble: (error: JournalError) => void): Keep {
  return async (changes, options) => {
    if (changes.length === 0) return
    for (;;) {
      try {
        await journal.write(changes, options)
        return
      } catch (error) {
        if (!(error instanceof JournalError)) throw error
        onTrouble(error)
        if (error.reason === 'refused') throw error
        if (error.reason === 'closed') await never
        await new Promise<void>((resolve) => clock.after(retryMs, resolve))
      }
    }
  }
}

export type Keep = (changes: readonly Change[], options?: { readonly mayWait?: boolean }) => Promise<void>

const never = new Promise<never>(() => undefined)
const retryMs = 1000
