import type { SimCard } from '@smsgw/contract/link/event'
import type { Clock } from '@smsgw/modem/clock'
import type { OpenResult, PowerCycle } from '@smsgw/modem/recovery/runner'
import { type EnteredPin, PinMemory } from '@smsgw/modem/setup/pin-memory'
import type { Change, Json } from '../journal/change.ts'
import type { Journal } from '../journal/journal.ts'
import type { FoundPlaces } from './discovery/find-places.ts'
import { PlaceWatch } from './discovery/place-watch.ts'
import { ModemActor, type ModemListener } from './modem-actor.ts'
import type { ModemTuning, OpenAnswer, SimSettings } from './modem-actor-options.ts'
import type { ModemHealth } from './modem-health.ts'
import { ModemRegistry, type RegisteredModem } from './modem-registry.ts'
import { type PowerSetting, powerSwitchOf } from './power/power-setting.ts'
import { powerCycle } from './power/power-tools.ts'
import { SimSlots, slotsNote } from './sim-slots.ts'
import { UssdSessions } from './ussd-sessions.ts'

/**
 * All modems of this agent. Modems are found wherever they are plugged in, run independently of each other, are
 * recognised by their IMEI and keep their SIM number.
 *
 * `start` searches for modems once, and then continuously until `stop`.
 */
export class ModemFleet {
  readonly #options: ModemFleetOptions
  readonly #slots: SimSlots
  readonly #pinMemory: PinMemory
  readonly #watch: PlaceWatch
  readonly #registry: ModemRegistry
  readonly ussd: UssdSessions

  constructor(options: ModemFleetOptions, notes: Readonly<Record<string, Json>>) {
    this.#options = options
    this.#slots = new SimSlots(notes[slotsNote])
    this.#pinMemory = new PinMemory({
      records: (notes[pinsNote] ?? []) as unknown as readonly EnteredPin[],
      // Stores the attempt before the PIN is entered, so that the next process counts it. A SIM locks after three wrong
      // PINs.
      keep: async (records) => {
        await options.journal.write([{ kind: 'note', name: pinsNote, value: records as unknown as Json }])
      },
    })
    this.ussd = new UssdSessions({
      clock: options.clock,
      newId: options.newId,
      modemOf: (simNumber) => this.actorOf(simNumber)?.modem,
      simNumbers: () => this.#simNumbersReady,
    })
    this.#watch = new PlaceWatch({
      clock: options.clock,
      find: options.discovery.find,
      watch: options.discovery.watch,
      onFound: (found) => this.#registry.found(found),
      onChanged: () => this.#registry.devicesChanged(),
      onUnusable: options.discovery.onUnusable,
      onError: options.onError,
    })
    this.#registry = new ModemRegistry({
      clock: options.clock,
      open: options.open,
      look: () => this.#watch.look(),
      newActor: (entry, open) => this.#newActor(entry, open),
      simNumberOf: (id, position) => this.#simNumberOf(id, position),
      isKnown: (id) => this.#slots.knows(id),
      onUnusable: options.discovery.onUnusable,
    })
  }

  /** Resolves when every connected modem has been started. */
  start(): Promise<void> {
    return this.#watch.start()
  }

  get actors(): readonly ModemActor[] {
    return this.#registry.actors
  }

  get health(): readonly ModemHealth[] {
    return this.actors.map(({ health }) => health)
  }

  /** Connected devices that look like modems but cannot be used. Each line describes one device and a solution. */
  get unusable(): readonly string[] {
    return this.#watch.unusable
  }

  /** All SIMs, including the SIMs of disconnected modems, which keep their SIM numbers. */
  get simCards(): readonly SimCard[] {
    const connected = this.actors.flatMap(({ simCard }) => simCard ?? [])
    const numbers = new Set(connected.map(({ simNumber }) => simNumber))
    const missing = this.simNumbers.filter((simNumber) => !numbers.has(simNumber))
    const absent = missing.map((simNumber) => {
      const phoneNumber = this.#options.sims.phoneNumberOf(simNumber)
      return {
        simNumber,
        state: 'absent',
        ...(phoneNumber !== undefined && { phoneNumber }),
        ...(this.#slots.isEmulatedSim(simNumber) && { isEmulated: true }),
      }
    })
    return [...connected, ...absent].sort((a, b) => a.simNumber - b.simNumber)
  }

  simState(simNumber: number): string | undefined {
    return this.simCards.find((sim) => sim.simNumber === simNumber)?.state
  }

  /** All SIM numbers ever assigned. */
  get simNumbers(): readonly number[] {
    return this.#slots.numbers
  }

  actorOf(simNumber: number): ModemActor | undefined {
    return this.actors.find((actor) => actor.simNumber === simNumber)
  }

  /** Reads all stored messages from the SIMs and modems again. */
  async sweep(): Promise<void> {
    await Promise.all(this.actors.map(({ modem }) => modem?.sweep({ again: true })))
  }

  async stop(): Promise<void> {
    this.#watch.stop()
    this.ussd.stop()
    await this.#registry.stop()
  }

  get #simNumbersReady(): readonly number[] {
    const ready = this.actors.filter(({ modem }) => modem?.session !== undefined)
    return ready.flatMap(({ simNumber }) => simNumber ?? []).sort((a, b) => a - b)
  }

  #newActor(entry: RegisteredModem, open: () => Promise<OpenAnswer>): ModemActor {
    const { clock, listener, sims, tuning } = this.#options
    return new ModemActor({
      address: entry.place?.ports[0] ?? '',
      clock,
      open,
      pinMemory: this.#pinMemory,
      registration: {
        confirm: (number) => this.#registry.confirm(entry, number),
        id: () => entry.id,
        previousCard: (iccid) => this.#previousCard(entry, iccid),
        isEmulatedPort: (address) => this.#options.emulation?.isEmulated(address) ?? false,
        emulationSeen: (isEmulated) => this.#emulationSeen(entry, isEmulated),
        isEmulated: () => this.#isEmulated(entry),
        isHeldBack: () => this.#isHeldBack(entry),
      },
      sims,
      onUssd: (simNumber, answer) => this.ussd.unsolicited(simNumber, answer),
      listener,
      tuning,
      powerCycle: () => this.#powerCycleOf(entry),
    })
  }

  #powerCycleOf({ place }: RegisteredModem): PowerCycle | undefined {
    const { power } = this.#options
    const how = power === undefined || place === undefined ? undefined : powerSwitchOf(power, place)
    return how && (() => powerCycle(how))
  }

  #simNumberOf(id: string, position: number | undefined): number {
    const { simNumber, change } = this.#slots.numberOf(id, (other) => this.#registry.isHere(other), position)
    this.#store(change)
    return simNumber
  }

  #previousCard({ id }: RegisteredModem, iccid: string): string | undefined {
    if (id === undefined) return undefined
    const { before, change } = this.#slots.cardSeen(id, iccid)
    this.#store(change)
    return before
  }

  #emulationSeen({ id }: RegisteredModem, isEmulated: boolean): void {
    const change = id === undefined ? undefined : this.#slots.emulationSeen(id, isEmulated)
    if (change === undefined) return
    this.#store(change)
    for (const actor of this.actors) actor.heldBackChanged()
  }

  #isEmulated({ id }: RegisteredModem): boolean | undefined {
    return id === undefined ? undefined : this.#slots.isEmulated(id)
  }

  /**
   * A real modem prevents virtual modems from sending. This is also true while the real modem is disconnected, because
   * messages wait for it.
   */
  #isHeldBack(entry: RegisteredModem): boolean {
    if (this.#options.emulation?.mayMix) return false
    return this.#isEmulated(entry) === true && this.#slots.hasRealModem
  }

  /**
   * A failed write is acceptable. Its only consequence is that the modem gets the next free SIM number after a restart.
   */
  #store(change: Change | undefined): void {
    if (change !== undefined) this.#options.journal.write([change]).catch(this.#options.onJournalError)
  }
}

export interface ModemFleetOptions {
  readonly clock: Clock
  readonly journal: Journal
  readonly open: (address: string) => Promise<OpenResult>
  readonly discovery: DiscoveryOptions
  readonly newId: () => string
  readonly listener: ModemListener
  readonly sims: SimSettings
  /** Default: no modem is switched off and on. */
  readonly power?: PowerSetting | undefined
  readonly emulation?: EmulationSettings | undefined
  readonly onJournalError: (error: Error) => void
  /** Called when the search for modems failed. */
  readonly onError: (error: Error) => void
  readonly tuning?: ModemTuning
}

/**
 * A modem is virtual if its port is listed as virtual, or if its SIM belongs to a test network. Virtual modems send
 * nothing while the device has a real modem, unless `mayMix` is set.
 */
export interface EmulationSettings {
  readonly isEmulated: (address: string) => boolean
  readonly mayMix: boolean
}

export interface DiscoveryOptions {
  readonly find: () => Promise<FoundPlaces>
  /** Calls back when devices may have changed; returns a function that stops the watch. */
  readonly watch: (onChange: () => void) => () => void
  /**
   * Called once for each connected device that looks like a modem but cannot be used. `problem` contains a solution.
   */
  readonly onUnusable: (problem: string) => void
}

const pinsNote = 'entered-pins'
