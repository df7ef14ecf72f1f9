import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Json } from '../journal/change.ts'
import type { Journal } from '../journal/journal.ts'
import { findPlaces, type Wanted } from '../modems/find-places.ts'
import type { ModemActor } from '../modems/modem-actor.ts'
import { ModemFleet } from '../modems/modem-fleet.ts'
import { monotonicClock } from '../monotonic-clock.ts'
import { tryOpenPort } from '../ports/try-open-port.ts'
import { examineModem, type ModemExamination } from '../status/examine-modem.ts'

/**
 * Speaks with the modems while no agent does. Nothing is sent, deleted or acknowledged, and no PIN is entered: how many
 * tries are left is all that is asked.
 */
export async function examineAlone(options: {
  readonly dataDir: string
  readonly wanted: Wanted
  readonly phoneNumberOf: (simNumber: number) => string | undefined
  /** Registration takes a while. */
  readonly limitMs: number
}): Promise<readonly ModemExamination[]> {
  const { wanted, limitMs } = options
  const nothing = () => undefined
  let look: () => void = nothing
  let isLate = false
  const fleet = new ModemFleet(
    {
      clock: monotonicClock,
      journal: forgetful,
      open: tryOpenPort,
      find: () => findPlaces(wanted),
      watch: () => nothing,
      newId: randomUUID,
      pinOf: nothing,
      phoneNumberOf: options.phoneNumberOf,
      onUnusable: nothing,
      onJournalTrouble: nothing,
      onTrouble: nothing,
      listener: {
        onReadable: nothing,
        onUnreadable: nothing,
        onSending: nothing,
        onNotSending: nothing,
        onIncoming: nothing,
        onLateResult: nothing,
        onNetworkTime: nothing,
        onChanged: () => look(),
        onTrouble: () => look(),
      },
    },
    knownNotes(join(options.dataDir, 'journal.db')),
  )
  try {
    await fleet.start()
    await new Promise<void>((resolve) => {
      const timers = [
        monotonicClock.after(limitMs, resolve),
        monotonicClock.after(absentLimitMs, () => {
          isLate = true
          look()
        }),
      ]
      look = () => {
        if (!fleet.actors.every((actor) => isSettled(actor, isLate)) || (fleet.actors.length === 0 && !isLate)) return
        for (const timer of timers) timer.cancel()
        resolve()
      }
      look()
    })
    await Promise.all(fleet.actors.map(({ modem }) => modem?.session && modem.signal()))
    return await Promise.all(fleet.actors.map((actor) => examineModem(actor, monotonicClock)))
  } finally {
    await fleet.stop()
  }
}

/** What is not there by then is not there; one that starts may have to be asked a few times. */
const absentLimitMs = 5_000

/** Waiting longer would not change it. */
function isSettled({ health: { state, recovery } }: ModemActor, isLate: boolean): boolean {
  if (state.name === 'absent' && isLate) return true
  return state.name === 'ready' || state.name === 'degraded' || state.name === 'blocked' || recovery?.kind === 'alarm'
}

/** What is found out here is of no consequence. */
const forgetful: Journal = {
  write: async () => [],
  read: () => Promise.reject(new Error('this journal knows nothing')),
  forget: () => Promise.reject(new Error('this journal knows nothing')),
  confirm: async () => undefined,
  close: async () => undefined,
}

/** Which modem is which SIM, as the agent knows it. A journal that cannot be read is the agent's affair. */
function knownNotes(path: string): Readonly<Record<string, Json>> {
  if (!existsSync(path)) return {}
  try {
    const database = new DatabaseSync(path, { readOnly: true })
    const rows = database.prepare('SELECT name, value FROM notes').all()
    database.close()
    return Object.fromEntries(rows.map(({ name, value }) => [String(name), JSON.parse(String(value)) as Json]))
  } catch {
    return {}
  }
}
