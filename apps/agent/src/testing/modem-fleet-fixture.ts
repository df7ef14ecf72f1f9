import type { OperatorChoice } from '@smsgw/modem/commands/network/operator-selection'
import type { Incoming } from '@smsgw/modem/receive/incoming-message'
import { expect } from 'vitest'
import type { Json } from '../journal/change.ts'
import { findPlaces, type Wanted } from '../modems/discovery/find-places.ts'
import { watchDevices } from '../modems/discovery/watch-devices.ts'
import type { ModemActor } from '../modems/modem-actor.ts'
import type { ModemTuning } from '../modems/modem-actor-options.ts'
import { type EmulationSettings, ModemFleet } from '../modems/modem-fleet.ts'
import type { PowerSetting } from '../modems/power/power-setting.ts'
import type { ActiveSim } from '../modems/sim-presence.ts'
import { tryOpenPort } from '../ports/open-port.ts'
import { monotonicClock } from '../time/monotonic-clock.ts'
import type { FakeMachine } from './fake-machine.ts'
import { MemoryJournal } from './memory-journal.ts'

/** A modem fleet on a fake machine, with real ports and virtual modems. */
export class FleetFixture {
  readonly fake: FakeMachine
  readonly disk = new MemoryJournal(
    monotonicClock,
    () => 0,
    () => 1_772_380_800_000,
  )
  readonly problems: string[] = []
  readonly unusable: string[] = []
  readonly calls: { readonly simNumber: number; readonly number: string | undefined }[] = []
  readonly sending = new Map<number, ActiveSim>()
  readonly incoming: { readonly simNumber: number; readonly incoming: Incoming }[] = []
  readonly times: number[] = []
  /** The PINs by SIM number. */
  readonly pins: Record<number, string> = {}
  readonly numbers: Record<number, string> = {}
  readonly opened: string[] = []
  /** The numbers of SIMs that could no longer send, in the order of these events. */
  readonly stoppedSending: number[] = []
  emulation: EmulationSettings | undefined
  sendWhileRoaming: boolean | undefined
  power: PowerSetting | undefined
  readonly operators: Record<number, OperatorChoice> = {}
  /** The numbers of all SIMs that could send at any time. */
  readonly couldSend: number[] = []
  fleet: ModemFleet | undefined

  constructor(fake: FakeMachine) {
    this.fake = fake
  }

  /** Starts a fleet with the notes in the journal, as the next process does. */
  async start(listed: readonly string[] | Wanted = [], tuning: ModemTuning = {}): Promise<ModemFleet> {
    const { journal } = this.disk.session()
    const notes: Readonly<Record<string, Json>> = await journal.read('notes', {})
    const wanted = 'auto' in listed ? listed : { auto: listed.length === 0, addresses: listed }
    let ids = 0
    const fleet = new ModemFleet(
      {
        clock: monotonicClock,
        journal,
        open: (address) => {
          this.opened.push(address)
          return tryOpenPort(address)
        },
        discovery: {
          find: () => findPlaces(wanted, this.fake.machine),
          watch: (onChange) => watchDevices(wanted, onChange, this.fake.machine),
          onUnusable: (problem) => void this.unusable.push(problem),
        },
        newId: () => `session-${++ids}`,
        sims: {
          pinOf: (simNumber) => this.pins[simNumber],
          phoneNumberOf: (simNumber) => this.numbers[simNumber],
          operatorOf: (simNumber) => this.operators[simNumber],
          sendWhileRoaming: this.sendWhileRoaming,
        },
        emulation: this.emulation,
        power: this.power,
        onJournalError: fail,
        onError: fail,
        listener: {
          onReadable: () => undefined,
          onUnreadable: () => undefined,
          onSending: (sim) => {
            this.sending.set(sim.simNumber, sim)
            this.couldSend.push(sim.simNumber)
          },
          onNotSending: ({ simNumber }) => {
            this.sending.delete(simNumber)
            this.stoppedSending.push(simNumber)
          },
          onIncoming: ({ simNumber }, incoming) => void this.incoming.push({ simNumber, incoming }),
          onLateResult: () => undefined,
          onCall: (sim, call) => void this.calls.push({ simNumber: sim.simNumber, ...call }),
          onNetworkTime: ({ epochMs }) => void this.times.push(epochMs),
          onChanged: () => undefined,
          onProblem: ({ address }, priority, problem) => void this.problems.push(`${priority} ${address}: ${problem}`),
        },
        tuning,
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

  /** For each modem that can send: its SIM number and the last digits of its IMEI. */
  get ready(): readonly string[] {
    return [...this.sending.keys()].sort().map((simNumber) => `${simNumber}:${this.imeiEnd(simNumber)}`)
  }

  get actors(): readonly ModemActor[] {
    const numbers = this.fleet?.simNumbers ?? []
    return numbers.flatMap((simNumber) => this.fleet?.actorOf(simNumber) ?? [])
  }

  readyAre(...wanted: readonly string[]): Promise<void> {
    return expect.poll(() => this.ready, { interval: 20 }).toEqual(wanted)
  }

  imeiEnd(simNumber: number): string | undefined {
    return this.fleet?.actorOf(simNumber)?.health.session?.identity.imei?.slice(-4)
  }
}

function fail(error: Error): never {
  throw error
}
