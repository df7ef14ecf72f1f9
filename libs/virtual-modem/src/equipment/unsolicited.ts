import type { Clock } from '../clock.ts'
import type { FaultControl } from '../faults/fault-control.ts'
import type { SeededRandom } from '../random.ts'
import { withLineEnds } from '../wire/result-code.ts'
import type { PersonalityTraits } from './personality-traits.ts'
import type { EquipmentSettings } from './settings.ts'

/**
 * Sends unsolicited result codes to the host.
 *
 * - flowing: codes are written at once, even between a command and its answer.
 * - held: the host is typing at a prompt; codes wait until the prompt ends.
 *
 * Message indications also wait while the CNMI mode is 0 (27.005 §3.4.1).
 */
export class UnsolicitedOutput {
  readonly #options: UnsolicitedOptions
  readonly #held: string[] = []
  readonly #buffered: string[] = []
  #holding = false
  #flooding = false
  #sendingTime = false

  constructor(options: UnsolicitedOptions) {
    this.#options = options
  }

  say(...lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#holding) keep(this.#held, line)
      else this.#options.write(this.format(line))
    }
  }

  /** Sends an indication of a message, report or broadcast. */
  indicate(line: string): void {
    if (this.#options.settings().cnmi.mode === 0) keep(this.#buffered, line)
    else this.say(line)
  }

  /** Must be called after CNMI was set. Sends or drops the buffered indications, according to `<bfr>`. */
  cnmiChanged(): void {
    const { mode, bfr } = this.#options.settings().cnmi
    if (mode === 0) return
    const lines = this.#buffered.splice(0)
    if (bfr === 0) this.say(...lines)
  }

  hold(): void {
    this.#holding = true
  }

  release(): void {
    this.#holding = false
    this.say(...this.#held.splice(0))
  }

  format(line: string): string {
    const settings = this.#options.settings()
    return withLineEnds(settings.verbose ? `\r\n${line}\r\n` : `${line}\r\n`, settings)
  }

  /** Starts the repeating faults. Each of them stops when it is cleared. */
  update(): void {
    if (!this.#flooding) this.#flood()
    if (!this.#sendingTime) this.#sendTime()
  }

  #flood(): void {
    const { clock, faults, personality, random } = this.#options
    const flood = faults.standing('urc-flood')
    this.#flooding = flood !== undefined
    if (flood === undefined) return
    if (faults.strike('urc-flood')) this.say(personality.statusLine(random))
    clock.after(1000 / Math.max(flood.perSecond, 0.001), () => this.#flood())
  }

  #sendTime(): void {
    const { clock, faults, personality, zoneQuarters } = this.#options
    const nitz = faults.standing('nitz')
    this.#sendingTime = nitz !== undefined
    if (nitz === undefined) return
    if (faults.strike('nitz')) this.say(...personality.timeLines(clock.epochMs(), zoneQuarters))
    clock.after(Math.max(nitz.everyMs, 1), () => this.#sendTime())
  }
}

export interface UnsolicitedOptions {
  readonly clock: Clock
  readonly random: SeededRandom
  readonly faults: FaultControl
  readonly personality: Pick<PersonalityTraits, 'statusLine' | 'timeLines'>
  readonly zoneQuarters: number
  readonly settings: () => EquipmentSettings
  readonly write: (text: string) => void
}

const keptLimit = 64

/** 27.005 §3.4.1: if the buffer is full, the oldest indications may be discarded. */
function keep(lines: string[], line: string): void {
  lines.push(line)
  if (lines.length > keptLimit) lines.shift()
}
