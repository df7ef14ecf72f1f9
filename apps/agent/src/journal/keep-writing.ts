import type { Clock } from '@smsgw/modem/clock'
import type { WrittenChanges } from './apply-change.ts'
import type { Change } from './change.ts'
import { type Journal, JournalError, type WriteOptions } from './journal.ts'
import { Turns } from './turns.ts'

/**
 * Writes changes about past events. Retries while the disk is full, because after the loss of a result a message would
 * be sent twice. Resolves when the changes are on disk; never resolves if the journal is closed earlier. Rejects if the
 * journal refuses the changes, because retrying would be useless.
 *
 * Changes about one message are written one after the other, even if the disk has space only for a later change,
 * because the correction of an outcome must not be written before the outcome that it corrects. Changes about other
 * messages are written at the same time.
 */
export function keepWriting(journal: Journal, clock: Clock, watch: WriteWatch): Keep {
  const turns = new Turns()
  let last: Promise<unknown> = Promise.resolve()
  let failing = 0
  const written: Written = async (changes, options, before) => {
    // While writes fail, changes about different messages are also written in the order of the calls.
    if (failing > 0) await before
    let hasFailed = false
    try {
      for (;;) {
        const result = await tryWrite(changes, options)
        if (result !== undefined) return result
        if (!hasFailed) failing += 1
        hasFailed = true
        await before
        await new Promise<void>((resolve) => clock.after(retryMs, resolve))
      }
    } finally {
      if (hasFailed) failing -= 1
      if (hasFailed && failing === 0) watch.onRecovered?.()
    }
  }
  const tryWrite = async (changes: readonly Change[], options: WriteOptions | undefined) => {
    try {
      return await journal.write(changes, options)
    } catch (error) {
      if (!(error instanceof JournalError)) throw error
      if (error.reason === 'closed') await never
      watch.onProblem(error)
      if (error.reason === 'refused') throw error
      return undefined
    }
  }
  return (changes, options) => {
    if (changes.length === 0) return Promise.resolve(nothing)
    const before = last
    const done = turns.take(messagesOf(changes), () => written(changes, options, before))
    last = done.catch(() => undefined)
    return done
  }
}

export interface WriteWatch {
  /**
   * Called when a write fails while the journal is open. The write is retried, except if the journal refuses it.
   */
  readonly onProblem: (error: JournalError) => void
  /** Called when all failed writes have succeeded. */
  readonly onRecovered?: (() => void) | undefined
}

function messagesOf(changes: readonly Change[]): readonly string[] {
  return changes.flatMap((change) => {
    const about = change.kind === 'event' ? change.event : change.kind === 'command-received' ? change.command : change
    return 'cmdId' in about ? [about.cmdId] : []
  })
}

type Written = (
  changes: readonly Change[],
  options: WriteOptions | undefined,
  before: Promise<unknown>,
) => Promise<WrittenChanges>

export type Keep = (changes: readonly Change[], options?: WriteOptions) => Promise<WrittenChanges>

const nothing: WrittenChanges = { seqs: [], tags: [], fresh: [] }

const never = new Promise<never>(() => undefined)
const retryMs = 1000
