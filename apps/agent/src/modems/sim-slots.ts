import type { Change, Json } from '../journal/change.ts'

/**
 * Which SIM number each modem has: its place in the list of modems when it was named there, else the lowest that was free
 * when it was seen first, and its own from then on, wherever it is plugged in and whatever its port is called. And which
 * card was in it last. When all numbers are taken, a new modem is given that of the one which was seen first of those
 * that are away.
 */
export class SimSlots {
  readonly #slots: Map<string, Slot>

  constructor(kept: Json | undefined) {
    this.#slots = new Map(Object.entries((kept ?? {}) as unknown as Record<string, Slot>))
  }

  /** Its number, and the change by which it is known again; undefined when it was known. */
  numberOf(
    modem: string,
    isHere: (modem: string) => boolean,
    wished?: number,
  ): { readonly simNumber: number; readonly change: Change | undefined } {
    const known = this.#slots.get(modem)
    if (known !== undefined) return { simNumber: known.simNumber, change: undefined }
    if (this.#slots.size >= mostNumbers) this.#forgetFirst(isHere)
    const taken = new Set(this.numbers)
    let simNumber = wished === undefined || wished > mostNumbers || taken.has(wished) ? 1 : wished
    while (taken.has(simNumber)) simNumber += 1
    this.#slots.set(modem, { simNumber })
    return { simNumber, change: this.#change() }
  }

  /** The card that was in it before, if that was another one. */
  cardSeen(modem: string, iccid: string): { readonly before: string | undefined; readonly change: Change | undefined } {
    const slot = this.#slots.get(modem)
    if (slot === undefined || slot.iccid === iccid) return { before: undefined, change: undefined }
    this.#slots.set(modem, { ...slot, iccid })
    return { before: slot.iccid, change: this.#change() }
  }

  knows(modem: string): boolean {
    return this.#slots.has(modem)
  }

  get numbers(): readonly number[] {
    return [...this.#slots.values()].map(({ simNumber }) => simNumber).sort((a, b) => a - b)
  }

  #forgetFirst(isHere: (modem: string) => boolean): void {
    const away = [...this.#slots.keys()].find((modem) => !isHere(modem))
    if (away !== undefined) this.#slots.delete(away)
  }

  #change(): Change {
    return { kind: 'note', name: slotsNote, value: Object.fromEntries(this.#slots) as unknown as Json }
  }
}

interface Slot {
  readonly simNumber: number
  readonly iccid?: string
}

export const slotsNote = 'sim-slots'
/** As many as the relay can tell apart. */
const mostNumbers = 64
