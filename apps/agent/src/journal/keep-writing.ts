import type { Clock } from '@smsgw/modem/clock'
import type { Change } from './change.ts'
import { type Journal, JournalError } from './journal.ts'

/**
 * Writes what has happened and cannot be undone: a full disk is waited out, since forgetting that something was sent
 * would send it twice. Resolves when it is on disk, or when the journal is closed; what is in doubt then, is.
 */
export function keepWriting(
  journal: Journal,
  clock: Clock,
  onTrouble: (error: JournalError) => void,
): (changes: readonly Change[]) => Promise<void> {
  return async (changes) => {
    if (changes.length === 0) return
    for (;;) {
      try {
        await journal.write(changes)
        return
      } catch (error) {
        if (!(error instanceof JournalError)) throw error
        onTrouble(error)
        if (error.reason === 'closed') return
        await new Promise<void>((resolve) => clock.after(retryMs, resolve))
      }
    }
  }
}

const retryMs = 1000
