import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '@smsgw/daemon/log/log'
import { Notes } from './bridge-state.ts'
import { steadyNow } from './steady-clock.ts'

/** The name of the note with the time of the last process. */
const NOTE = 'running-time'
const SAVE_MS = 60_000
/** The tables whose column `at` contains times of this clock. */
const TABLES = ['sent_messages', 'chat_texts', 'smpp_deliveries', 'smpp_reported', 'smpp_groups', 'smpp_submits']

/**
 * The clock for the ages of stored rows, in milliseconds. It advances only while the bridge runs, and each start
 * continues at the time of the last process. So a wrong system clock, or a change of it, does not cause a row to be
 * removed too early. For example, a machine without a real-time clock may start with a time years in the past. After a
 * crash, the clock is up to a minute slow.
 */
export class RunningTime {
  readonly #notes: Notes
  readonly #aheadMs: number
  readonly #saving: NodeJS.Timeout

  constructor(database: DatabaseSync, log: Log) {
    this.#notes = new Notes(database)
    const startedAt = this.#last() ?? firstTime(database)
    this.#aheadMs = startedAt - steadyNow()
    // Corrects the times of rows that are newer than the stored time. After a crash, such rows are less than a minute
    // old. Without a stored time, their age is unknown.
    for (const table of tablesIn(database)) database.prepare(`UPDATE ${table} SET at = ?1 WHERE at > ?1`).run(startedAt)
    this.#save()
    this.#saving = setInterval(() => {
      try {
        this.#save()
      } catch (error) {
        log.warn({ err: error }, 'running time of the bridge not stored, retrying in 60 s')
      }
    }, SAVE_MS)
    this.#saving.unref()
  }

  now = (): number => this.#aheadMs + steadyNow()

  stop(): void {
    clearInterval(this.#saving)
    this.#save()
  }

  #last(): number | undefined {
    const value = this.#notes.read(NOTE)
    return value === undefined ? undefined : Number(value)
  }

  #save(): void {
    this.#notes.write(NOTE, String(Math.round(this.now())))
  }
}

/**
 * Returns the first time of the clock: the system time or the time of the newest row, whichever is earlier. So at the
 * start, the age of each row is at most the time between this row and the newest row, even if the system clock is
 * wrong.
 */
function firstTime(database: DatabaseSync): number {
  const newest = tablesIn(database).flatMap((table) => {
    const at = database.prepare(`SELECT max(at) AS at FROM ${table}`).get()?.['at']
    return typeof at === 'number' ? [at] : []
  })
  return newest.length === 0 ? steadyNow() : Math.min(steadyNow(), Math.max(...newest))
}

/** The channels create some of the tables when they are used for the first time. */
function tablesIn(database: DatabaseSync): string[] {
  const exists = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
  return TABLES.filter((table) => exists.get(table) !== undefined)
}
