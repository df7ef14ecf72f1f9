import type { Incoming } from '@smsgw/modem/incoming-message'
import type { ModemOptions } from '@smsgw/modem/modem-options'
import type { RecoveryOptions } from '@smsgw/modem/recovery-state'
import { expect } from 'vitest'
import type { Json } from '../journal/change.ts'
import { findPlaces } from '../modems/find-places.ts'
import type { ModemActor } from '../modems/modem-actor.ts'
import { ModemFleet } from '../modems/modem-fleet.ts'
import type { ActiveSim } from '../modems/sim-presence.ts'
import { watchDevices } from '../modems/watch-devices.ts'
import { monotonicClock } from '../monotonic-clock.ts'
import { tryOpenPort } from '../ports/try-open-port.ts'
import type { FakeMachine } from './fake-machine.ts'
import { MemoryJournal } from './memory-journal.ts'

/** A fleet on a machine that is made up, with ports and modems that are not. */
export class FleetFixture {
  readonly fake: FakeMachine
  readonly disk = new MemoryJournal(
    monotonicClock,
    () => 0,
    () => 1_772_380_800_000,
  )
  readonly told: string[] = []
  readonly unusable: string[] = []
  readonly sending = new Map<number, ActiveSim>()
  readonly incoming: { readonly simNumber: number; readonly incoming: Incoming }[] = []
  readonly times: number[] = []
  /** By SIM number. */
  readonly pins: Record<number, string> = {}
  readonly opened: string[] = []
  fleet: ModemFleet | undefined

  constructor(fake: FakeMachine) {
    this.fake = fake
  }

  /** Looks for modems, as the next process would: with what the journal knows. */
  async start(
    addresses: readonly string[] = [],
    options: { readonly recovery?: Partial<RecoveryOptions>; readonly modemOptions?: ModemOptions } = {},
  ): Promise<ModemFleet> {
    const { journal } = this.disk.session()
    const notes: Readonly<Record<string, Json>> = await journal.read('notes', {})
    const wanted = { auto: addresses.length === 0, addresses }
    let ids = 0
    const fleet = new ModemFleet(
      {
        clock: monotonicClock,
        journal,
        open: (address) => {
          this.opened.push(address)
          return tryOpenPort(address)
        },
        find: () => findPlaces(wanted, this.fake.machine),
        watch: (onChange) => watchDevices(wanted, onChange, this.fake.machine),
        newId: () => `session-${++ids}`,
        pinOf: (simNumber) => this.pins[simNumber],
        phoneNumberOf: () => undefined,
        onUnusable: (words) => void this.unusable.push(words),
        onJournalTrouble: fail,
        onTrouble: fail,
        listener: {
          onReadable: () => undefined,
          onUnreadable: () => undefined,
          onSending: (sim) => void this.sending.set(sim.simNumber, sim),
          onNotSending: (sim) => void this.sending.delete(sim.simNumber),
          onIncoming: ({ simNumber }, incoming) => void this.incoming.push({ simNumber, incoming }),
          onLateResult: () => undefined,
          onNetworkTime: ({ epochMs }) => void this.times.push(epochMs),
          onChanged: () => undefined,
          onTrouble: ({ address }, priority, words) => void this.told.push(`${priority} ${address}: ${words}`),
        },
        ...options,
      },
      notes,
    )
    this.fleet = fleet
    await fleet.start()
    return fleet
  }

  async stop(): Promise<void> {
    await this.fleet?.stop()
    this.fleet = undefined
  }

  /** SIM number and the end of the IMEI of all that take messages. */
  get ready(): readonly string[] {
    return [...this.sending.keys()].sort().map((simNumber) => `${simNumber}:${this.imeiEnd(simNumber)}`)
  }

  get actors(): readonly ModemActor[] {
    const numbers = this.fleet?.simNumbers ?? []
    return numbers.flatMap((simNumber) => this.fleet?.actorOf(simNumber) ?? [])
  }

  readyAre(...wanted: readonly string[]): Promise<void> {
    return expect.poll(() => this.ready, { timeout: 30_000, interval: 20 }).toEqual(wanted)
  }

  imeiEnd(simNumber: number): string | undefined {
    return this.fleet?.actorOf(simNumber)?.health.session?.identity.imei.slice(-4)
  }
}

function fail(error: Error): never {
  throw error
}
