import type { SimCard } from '@smsgw/contract/link/event'
import type { Clock } from '@smsgw/modem/clock'
import type { ModemOptions } from '@smsgw/modem/modem-options'
import type { OpenResult } from '@smsgw/modem/recovery-runner'
import type { RecoveryOptions } from '@smsgw/modem/recovery-state'
import { type EnteredPin, PinMemory } from '@smsgw/modem/startup/pin-memory'
import type { Change, Json } from '../journal/change.ts'
import type { Journal } from '../journal/journal.ts'
import { type Berth, Berths } from './berths.ts'
import type { FoundPlaces } from './find-places.ts'
import { ModemActor, type ModemListener, type OpenAnswer } from './modem-actor.ts'
import type { ModemHealth } from './modem-health.ts'
import { PlaceWatch } from './place-watch.ts'
import { SimSlots, slotsNote } from './sim-slots.ts'
import { UssdDesk } from './ussd-desk.ts'

/**
 * All modems of this agent: found wherever they are plugged in, each an actor of its own, known by its IMEI, under a SIM
 * number that stays.
 *
 * `new` → `start` (what is there is looked for, and kept looking for) → `stop`.
 */
export class ModemFleet {
  readonly #options: ModemFleetOptions
  readonly #slots: SimSlots
  readonly #pinMemory: PinMemory
  readonly #watch: PlaceWatch
  readonly #berths: Berths
  readonly ussd: UssdDesk

  constructor(options: ModemFleetOptions, notes: Readonly<Record<string, Json>>) {
    this.#options = options
    this.#slots = new SimSlots(notes[slotsNote])
    this.#pinMemory = new PinMemory({
      records: (notes[pinsNote] ?? []) as unknown as readonly EnteredPin[],
      // A PIN is entered only when the next process will know of it: a SIM locks itself at the third wrong one.
      keep: async (records) => {
        await options.journal.write([{ kind: 'note', name: pinsNote, value: records as unknown as Json }])
      },
    })
    this.ussd = new UssdDesk({
      clock: options.clock,
      newId: options.newId,
      modemOf: (simNumber) => this.actorOf(simNumber)?.modem,
      simNumbers: () => this.#simNumbersReady,
    })
    this.#watch = new PlaceWatch({
      clock: options.clock,
      find: options.find,
      watch: options.watch,
      onFound: (found) => this.#berths.found(found),
      onChanged: () => this.#berths.devicesChanged(),
      onUnusable: options.onUnusable,
      onTrouble: options.onTrouble,
    })
    this.#berths = new Berths({
      clock: options.clock,
      open: options.open,
      look: () => this.#watch.look(),
      newActor: (berth, open) => this.#newActor(berth, open),
      simNumberOf: (modem, position) => this.#numberOf(modem, position),
      isKnown: (modem) => this.#slots.knows(modem),
      onUnusable: options.onUnusable,
    })
  }

  /** Resolves when every modem that is there now has been begun with. */
  start(): Promise<void> {
    return this.#watch.start()
  }

  get actors(): readonly ModemActor[] {
    return this.#berths.actors
  }

  get health(): readonly ModemHealth[] {
    return this.actors.map(({ health }) => health)
  }

  /** What is plugged in and could be a modem, and cannot be used as it is: lines that say what to do. */
  get unusable(): readonly string[] {
    return this.#watch.unusable
  }

  /** Those that were here once are absent: they come back under their numbers. */
  get simCards(): readonly SimCard[] {
    const here = this.actors.flatMap(({ simCard }) => simCard ?? [])
    const numbers = new Set(here.map(({ simNumber }) => simNumber))
    const gone = this.simNumbers.filter((simNumber) => !numbers.has(simNumber))
    return [...here, ...gone.map((simNumber) => ({ simNumber, state: 'absent' }))].sort(
      (a, b) => a.simNumber - b.simNumber,
    )
  }

  /** All that there ever were. */
  get simNumbers(): readonly number[] {
    return this.#slots.numbers
  }

  actorOf(simNumber: number): ModemActor | undefined {
    return this.actors.find((actor) => actor.simNumber === simNumber)
  }

  /** Reads everything that lies on the SIMs again, as far as they can be read. */
  async sweep(): Promise<void> {
    await Promise.all(this.actors.map(({ modem }) => modem?.sweep({ again: true })))
  }

  async stop(): Promise<void> {
    this.#watch.stop()
    this.ussd.stop()
    await this.#berths.stop()
  }

  get #simNumbersReady(): readonly number[] {
    const ready = this.actors.filter(({ modem }) => modem?.session !== undefined)
    return ready.flatMap(({ simNumber }) => simNumber ?? []).sort((a, b) => a - b)
  }

  #newActor(berth: Berth, open: () => Promise<OpenAnswer>): ModemActor {
    const { clock, listener, pinOf, phoneNumberOf, modemOptions, recovery } = this.#options
    return new ModemActor({
      address: berth.place?.ports[0] ?? '',
      clock,
      open,
      pinMemory: this.#pinMemory,
      isMine: (imei) => this.#berths.confirm(berth, imei),
      cardBefore: (iccid) => this.#cardBefore(berth, iccid),
      pinOf,
      phoneNumberOf,
      onUssd: (simNumber, answer) => this.ussd.heard(simNumber, answer),
      listener,
      modemOptions,
      recovery,
    })
  }

  #numberOf(modem: string, position: number | undefined): number {
    const { simNumber, change } = this.#slots.numberOf(modem, (other) => this.#berths.isHere(other), position)
    this.#keep(change)
    return simNumber
  }

  #cardBefore(berth: Berth, iccid: string): string | undefined {
    if (berth.modem === undefined) return undefined
    const { before, change } = this.#slots.cardSeen(berth.modem, iccid)
    this.#keep(change)
    return before
  }

  /** Should it not be kept, the modem is given the next free number after a restart: a nuisance, and no loss. */
  #keep(change: Change | undefined): void {
    if (change !== undefined) this.#options.journal.write([change]).catch(this.#options.onJournalTrouble)
  }
}

export interface ModemFleetOptions {
  readonly clock: Clock
  readonly journal: Journal
  readonly open: (address: string) => Promise<OpenResult>
  /** `findPlaces` with what the configuration wants. */
  readonly find: () => Promise<FoundPlaces>
  /** `watchDevices` on `/dev`. */
  readonly watch: (onChange: () => void) => () => void
  readonly newId: () => string
  readonly listener: ModemListener
  /** `SIM_<n>_PIN` and `SIM_<n>_NUMBER`. */
  readonly pinOf: (simNumber: number) => string | undefined
  readonly phoneNumberOf: (simNumber: number) => string | undefined
  /** Something is plugged in that could be a modem and cannot be used; told once, with what to do. */
  readonly onUnusable: (words: string) => void
  readonly onJournalTrouble: (error: Error) => void
  /** It could not be looked for modems. */
  readonly onTrouble: (error: Error) => void
  readonly modemOptions?: ModemOptions
  readonly recovery?: Partial<RecoveryOptions>
}

const pinsNote = 'entered-pins'
