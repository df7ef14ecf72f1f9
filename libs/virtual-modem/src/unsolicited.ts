import type { Clock } from './clock.ts'
import type { FaultControl } from './fault-control.ts'
import type { Personality } from './personalities/personality.ts'
import type { Random } from './random.ts'
import { withLineEnds } from './result-code.ts'
import type { Settings } from './settings.ts'

/**
 * Unsolicited result codes on their way to the host.
 *
 * - flowing: they are written as they come, also between a command and its answer.
 * - held: the host is typing at a prompt; they wait for its end.
 *
 * Those that CNMI rules also wait while its mode is 0 (27.005 §3.4.1).
 */
export class Unsolicited {
  readonly #world: UnsolicitedWorld
  readonly #held: string[] = []
  readonly #buffered: string[] = []
  #holding = false
  #flooding = false
  #tellingTime = false

  constructor(world: UnsolicitedWorld) {
    this.#world = world
  }

  say(...lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#holding) keep(this.#held, line)
      else this.#world.write(this.format(line))
    }
  }

  /** New messages, reports, broadcasts. */
  indicate(line: string): void {
    if (this.#world.settings().cnmi.mode === 0) keep(this.#buffered, line)
    else this.say(line)
  }

  /** CNMI was set: what was buffered is flushed or forgotten, as `<bfr>` says. */
  cnmiChanged(): void {
    const { mode, bfr } = this.#world.settings().cnmi
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
    const settings = this.#world.settings()
    return withLineEnds(settings.verbose ? `\r\n${line}\r\n` : `${line}\r\n`, settings)
  }

  /** Starts what goes on by itself; it ends when its fault is cleared. */
  update(): void {
    if (!this.#flooding) this.#flood()
    if (!this.#tellingTime) this.#tellTime()
  }

  #flood(): void {
    const { clock, faults, personality, random } = this.#world
    const flood = faults.standing('urc-flood')
    this.#flooding = flood !== undefined
    if (flood === undefined) return
    if (faults.strike('urc-flood')) this.say(personality.statusLine(random))
    clock.after(1000 / Math.max(flood.perSecond, 0.001), () => this.#flood())
  }

  #tellTime(): void {
    const { clock, faults, personality, zoneQuarters } = this.#world
    const nitz = faults.standing('nitz')
    this.#tellingTime = nitz !== undefined
    if (nitz === undefined) return
    if (faults.strike('nitz')) this.say(...personality.timeLines(clock.epochMs(), zoneQuarters))
    clock.after(Math.max(nitz.everyMs, 1), () => this.#tellTime())
  }
}

export interface UnsolicitedWorld {
  readonly clock: Clock
  readonly random: Random
  readonly faults: FaultControl
  readonly personality: Personality
  readonly zoneQuarters: number
  readonly settings: () => Settings
  readonly write: (text: string) => void
}

const mostKept = 64

/** 27.005 §3.4.1: when the buffer is full the oldest indications may be discarded. */
function keep(lines: string[], line: string): void {
  lines.push(line)
  if (lines.length > mostKept) lines.shift()
}
