import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { WebLogin } from '@smsgw/modem/hilink/web-session'
import type { Incoming } from '@smsgw/modem/receive/incoming-message'
import type { Journal } from '../journal/journal.ts'
import { storedNotes } from '../journal/journal-file.ts'
import { findPlaces, type Wanted } from '../modems/discovery/find-places.ts'
import type { ModemActor } from '../modems/modem-actor.ts'
import { ModemFleet } from '../modems/modem-fleet.ts'
import { tryOpenPort } from '../ports/open-port.ts'
import { monotonicClock } from '../time/monotonic-clock.ts'
import { examineModem, type ModemExamination } from './examine-modem.ts'

export interface ModemsAloneOptions {
  readonly dataDir: string
  readonly wanted: Wanted
  readonly phoneNumberOf: (simNumber: number) => string | undefined
  readonly sendWhileRoaming?: boolean
  readonly webLogin?: WebLogin | undefined
}

/**
 * The modems of this machine, used directly while no agent is running. No message is stored, deleted or acknowledged,
 * and no PIN is entered automatically. So an agent that starts later still finds every message.
 */
export class ModemsAlone {
  readonly #fleet: ModemFleet
  #onChanged: () => void = nothing
  onIncoming: (incoming: Incoming) => void = nothing

  private constructor({ dataDir, wanted, phoneNumberOf, sendWhileRoaming, webLogin }: ModemsAloneOptions) {
    this.#fleet = new ModemFleet(
      {
        clock: monotonicClock,
        journal: emptyJournal,
        open: tryOpenPort,
        discovery: { find: () => findPlaces(wanted), watch: () => nothing, onUnusable: nothing },
        newId: randomUUID,
        tuning: { modem: { ...(webLogin && { webLogin }) } },
        sims: { pinOf: nothing, phoneNumberOf, sendWhileRoaming },
        onJournalError: nothing,
        onError: nothing,
        listener: {
          onReadable: nothing,
          onUnreadable: nothing,
          onSending: nothing,
          onNotSending: nothing,
          onIncoming: (_sim, incoming) => this.onIncoming(incoming),
          onLateResult: nothing,
          onCall: nothing,
          onNetworkTime: nothing,
          onChanged: () => this.#onChanged(),
          onProblem: () => this.#onChanged(),
        },
      },
      storedNotes(join(dataDir, 'journal.db')),
    )
  }

  static async open(options: ModemsAloneOptions): Promise<ModemsAlone> {
    const modems = new ModemsAlone(options)
    try {
      await modems.#fleet.start()
    } catch (error) {
      await modems.close()
      throw error
    }
    return modems
  }

  get actors(): readonly ModemActor[] {
    return this.#fleet.actors
  }

  actorAt(address: string): ModemActor | undefined {
    return this.actors.find((actor) => actor.address === address)
  }

  /** Waits until the state of each modem is settled, then examines all modems. */
  async examine(limits: ExaminationLimits): Promise<readonly ModemExamination[]> {
    const { actors } = this
    await this.#settled(limits)
    await Promise.all(actors.map(({ modem }) => modem?.session && modem.signal()))
    await Promise.all(actors.map((actor) => actor.modem?.session && actor.readNetworkTime()))
    return await Promise.all(actors.map((actor) => examineModem(actor, monotonicClock)))
  }

  close(): Promise<void> {
    return this.#fleet.stop()
  }

  #settled(limits: ExaminationLimits): Promise<void> {
    let isLate = false
    return new Promise((resolve) => {
      const timers = [
        monotonicClock.after(limits.modemsMs, resolve),
        monotonicClock.after(limits.absentMs, () => {
          isLate = true
          this.#onChanged()
        }),
      ]
      this.#onChanged = () => {
        const { actors } = this
        if (!actors.every((actor) => isSettled(actor, isLate)) || (actors.length === 0 && !isLate)) return
        for (const timer of timers) timer.cancel()
        this.#onChanged = nothing
        resolve()
      }
      this.#onChanged()
    })
  }
}

export interface ExaminationLimits {
  /** How long to wait for the modems; registration may take minutes. */
  readonly modemsMs: number
  /** How long a modem may be absent before it is reported as absent. A starting modem may need several attempts. */
  readonly absentMs: number
}

/** Returns true if the state would not change after a longer wait. */
function isSettled({ health: { state, recovery } }: ModemActor, isLate: boolean): boolean {
  if (state.name === 'absent' && isLate) return true
  return state.name === 'ready' || state.name === 'degraded' || state.name === 'blocked' || recovery?.kind === 'alarm'
}

const nothing = () => undefined

/** A journal that stores nothing, because the real journal belongs to the agent. */
const emptyJournal: Journal = {
  write: async () => ({ seqs: [], tags: [], fresh: [] }),
  read: () => Promise.reject(new Error('no journal is open')),
  eventTexts: () => Promise.reject(new Error('no journal is open')),
  forget: () => Promise.reject(new Error('no journal is open')),
  confirm: async () => undefined,
  close: async () => undefined,
}
