import type { Clock } from '@smsgw/modem/clock'

/**
 * One line for each change of a modem's state. A modem that goes back and forth would fill the disk: of its changes ten a
 * minute have a line, and the next one says how many had none.
 */
export class ModemStateLog {
  readonly #say: (line: string) => void
  readonly #clock: Clock
  readonly #modems = new Map<string, Told>()

  constructor(say: (line: string) => void, clock: Clock) {
    this.#say = say
    this.#clock = clock
  }

  changed(address: string, words: string): void {
    const nowMs = this.#clock.nowMs()
    const told = this.#modems.get(address) ?? { words: '', atMs: [], untold: 0 }
    this.#modems.set(address, told)
    if (told.words === words) return
    told.words = words
    told.atMs = told.atMs.filter((atMs) => nowMs - atMs < minuteMs)
    if (told.atMs.length >= mostInAMinute) {
      told.untold += 1
      return
    }
    told.atMs.push(nowMs)
    this.#say(`modem ${address}: ${words}${told.untold === 0 ? '' : ` (behind ${told.untold} changes without a line)`}`)
    told.untold = 0
  }
}

interface Told {
  words: string
  atMs: number[]
  untold: number
}

const minuteMs = 60_000
const mostInAMinute = 10
