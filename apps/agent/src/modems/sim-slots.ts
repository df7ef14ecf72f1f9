import type { Change, Json } from '../journal/change.ts'

/**
 * The SIM number of each modem, the last card in it, and whether it is virtual. The SIM number of a modem that MODEMS
 * lists is its position in MODEMS. Another modem gets the lowest free number. A modem keeps its number in any socket.
 * When all numbers are taken, a new modem replaces the disconnected modem that was recorded first.
 */
export class SimSlots {
  readonly #slots: Map<string, Slot>

  constructor(kept: Json | undefined) {
    this.#slots = new Map(Object.entries((kept ?? {}) as unknown as Record<string, Slot>))
  }

  /** Returns the SIM number of a modem, and the change to store if the modem is new. */
  numberOf(
    modem: string,
    isHere: (modem: string) => boolean,
    preferred?: number,
  ): { readonly simNumber: number; readonly change: Change | undefined } {
    const known = this.#slots.get(modem)
    if (known !== undefined) return { simNumber: known.simNumber, change: undefined }
    if (this.#slots.size >= maxNumber) this.#removeOldest(isHere)
    const taken = new Set(this.numbers)
    let simNumber = preferred === undefined || preferred > maxNumber || taken.has(preferred) ? 1 : preferred
    while (taken.has(simNumber)) simNumber += 1
    this.#slots.set(modem, { simNumber })
    return { simNumber, change: this.#change() }
  }

  /** Records the card of a modem; returns the previous card if the card has changed. */
  cardSeen(modem: string, iccid: string): { readonly before: string | undefined; readonly change: Change | undefined } {
    const slot = this.#slots.get(modem)
    if (slot === undefined || slot.iccid === iccid) return { before: undefined, change: undefined }
    this.#slots.set(modem, { ...slot, iccid })
    return { before: slot.iccid, change: this.#change() }
  }

  /** Records whether a modem is virtual; returns a change to store if the record changed. */
  emulationSeen(modem: string, isEmulated: boolean): Change | undefined {
    const slot = this.#slots.get(modem)
    if (slot === undefined || slot.isEmulated === isEmulated) return undefined
    this.#slots.set(modem, { ...slot, isEmulated })
    return this.#change()
  }

  /** Undefined for a modem whose SIM has not been read yet. */
  isEmulated(modem: string): boolean | undefined {
    return this.#slots.get(modem)?.isEmulated
  }

  isEmulatedSim(simNumber: number): boolean {
    return [...this.#slots.values()].some((slot) => slot.simNumber === simNumber && slot.isEmulated === true)
  }

  /** True if at least one modem used so far is certainly not virtual, even if that modem is disconnected. */
  get hasRealModem(): boolean {
    return [...this.#slots.values()].some(({ isEmulated }) => isEmulated === false)
  }

  knows(modem: string): boolean {
    return this.#slots.has(modem)
  }

  get numbers(): readonly number[] {
    return [...this.#slots.values()].map(({ simNumber }) => simNumber).sort((a, b) => a - b)
  }

  #removeOldest(isHere: (modem: string) => boolean): void {
    const oldest = [...this.#slots.keys()].find((modem) => !isHere(modem))
    if (oldest !== undefined) this.#slots.delete(oldest)
  }

  #change(): Change {
    return { kind: 'note', name: slotsNote, value: Object.fromEntries(this.#slots) as unknown as Json }
  }
}

interface Slot {
  readonly simNumber: number
  readonly iccid?: string
  readonly isEmulated?: boolean
}

export const slotsNote = 'sim-slots'
/** The relay accepts no higher SIM number. */
const maxNumber = 64
