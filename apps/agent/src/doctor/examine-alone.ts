import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Journal } from '../journal/journal.ts'
import { storedNotes } from '../journal/journal-file.ts'
import { findPlaces, type Wanted } from '../modems/discovery/find-places.ts'
import type { ModemActor } from '../modems/modem-actor.ts'
import { ModemFleet } from '../modems/modem-fleet.ts'
import { tryOpenPort } from '../ports/open-port.ts'
import { monotonicClock } from '../time/monotonic-clock.ts'
import { examineModem, type ModemExamination } from './examine-modem.ts'

/**
 * Examines the modems directly while no agent is running. Nothing is sent, deleted or acknowledged, and no PIN is entered;
 * only the number of remaining PIN attempts is read.
 */
export async function examineAlone(options: {
  readonly dataDir: string
  readonly wanted: Wanted
  readonly phoneNumberOf: (simNumber: number) => string | undefined
  readonly limits: ExaminationLimits
}): Promise<readonly ModemExamination[]> {
  const { wanted, limits } = options
  const nothing = () => undefined
  let checkSettled: () => void = nothing
  let isLate = false
  const fleet = new ModemFleet(
    {
      clock: monotonicClock,
      journal: emptyJournal,
      open: tryOpenPort,
      discovery: { find: () => findPlaces(wanted), watch: () => nothing, onUnusable: nothing },
      newId: randomUUID,
      sims: { pinOf: nothing, phoneNumberOf: options.phoneNumberOf },
      onJournalError: nothing,
      onError: nothing,
      listener: {
        onReadable: nothing,
        onUnreadable: nothing,
        onSending: nothing,
        onNotSending: nothing,
        onIncoming: nothing,
        onLateResult: nothing,
        onCall: nothing,
        onNetworkTime: nothing,
        onChanged: () => checkSettled(),
        onProblem: () => checkSettled(),
      },
    },
    storedNotes(join(options.dataDir, 'journal.db')),
  )
  try {
    await fleet.start()
    await new Promise<void>((resolve) => {
      const timers = [
        monotonicClock.after(limits.modemsMs, resolve),
        monotonicClock.after(limits.absentMs, () => {
          isLate = true
          checkSettled()
        }),
      ]
      checkSettled = () => {
        if (!fleet.actors.every((actor) => isSettled(actor, isLate)) || (fleet.actors.length === 0 && !isLate)) return
        for (const timer of timers) timer.cancel()
        resolve()
      }
      checkSettled()
    })
    await Promise.all(fleet.actors.map(({ modem }) => modem?.session && modem.signal()))
    return await Promise.all(fleet.actors.map((actor) => examineModem(actor, monotonicClock)))
  } finally {
    await fleet.stop()
  }
}

export interface ExaminationLimits {
  /** How long to wait for the modems; registration may take minutes. */
  readonly modemsMs: number
  /** A modem that is absent this long is reported as absent. A starting modem may need several attempts. */
  readonly absentMs: number
}

/** Whether the state is final, so that waiting longer would not change it. */
function isSettled({ health: { state, recovery } }: ModemActor, isLate: boolean): boolean {
  if (state.name === 'absent' && isLate) return true
  return state.name === 'ready' || state.name === 'degraded' || state.name === 'blocked' || recovery?.kind === 'alarm'
}

/** Stores nothing: an examination must not change the agent's journal. */
const emptyJournal: Journal = {
  write: async () => [],
  read: () => Promise.reject(new Error('the doctor has no journal')),
  forget: () => Promise.reject(new Error('the doctor has no journal')),
  confirm: async () => undefined,
  close: async () => undefined,
}
