import type { Clock } from '../clock.ts'
import type { Cnmi, EquipmentSettings } from './settings.ts'
import { type UnsolicitedOptions, UnsolicitedOutput } from './unsolicited.ts'

/**
 * The terminals of one modem: a USB modem often has two ports that take commands. Each has its own echo, result format,
 * error reports, message format and message indications (CNMI). All other settings belong to the modem.
 *
 * One terminal is current: the terminal whose command is running, otherwise the first terminal. While the function of a
 * timer runs, the terminal that started the timer is current.
 */
export class Terminals {
  readonly #all: readonly Terminal[]
  #current: Terminal
  /** The terminal that set CNMI last. */
  #receiving: Terminal

  constructor(settings: EquipmentSettings, options: TerminalsOptions) {
    const [first = () => undefined, ...others] = options.writes
    const isOwn = (key: keyof EquipmentSettings) =>
      ownSettings.includes(key) || (key === 'memories' && options.ownMemories)
    const terminal = (own: EquipmentSettings, write: Write): Terminal => {
      return { settings: own, unsolicited: new UnsolicitedOutput({ ...options, settings: () => own, write }) }
    }
    this.#current = terminal(settings, first)
    this.#all = [this.#current, ...others.map((write) => terminal(sharing(settings, isOwn), write))]
    this.#receiving = this.#current
  }

  get settings(): EquipmentSettings {
    return this.#current.settings
  }

  get unsolicited(): UnsolicitedOutput {
    return this.#current.unsolicited
  }

  /** Runs the function while this terminal is current. */
  as(index: number, run: () => void): void {
    this.#on(this.#all[index] ?? this.#current, run)
  }

  /** Runs the function while the terminal that receives messages is current. */
  asReceiving(run: () => void): void {
    this.#on(this.#receiving, run)
  }

  cnmiChanged(): void {
    this.#receiving = this.#current
    this.unsolicited.cnmiChanged()
  }

  /** The unsolicited codes of the terminals that have requested an indication. */
  wanting(isWanted: (cnmi: Cnmi) => boolean): readonly UnsolicitedOutput[] {
    return this.#all.flatMap(({ settings, unsolicited }) => (isWanted(settings.cnmi) ? unsolicited : []))
  }

  /**
   * Returns a clock that remembers which terminal started each timer. This terminal is the current one while the
   * function of the timer runs.
   */
  clock(clock: Clock): Clock {
    if (this.#all.length === 1) return clock
    return {
      nowMs: () => clock.nowMs(),
      epochMs: () => clock.epochMs(),
      after: (delayMs, run) => {
        const terminal = this.#current
        return clock.after(delayMs, () => this.#on(terminal, run))
      },
    }
  }

  #on(terminal: Terminal, run: () => void): void {
    const before = this.#current
    this.#current = terminal
    try {
      run()
    } finally {
      this.#current = before
    }
  }
}

export type TerminalsOptions = Omit<UnsolicitedOptions, 'settings' | 'write'> & {
  /** The functions that write to each terminal. */
  readonly writes: readonly Write[]
  /** True if each terminal selects its own memories (CPMS). */
  readonly ownMemories: boolean
}

type Write = (text: string) => void

interface Terminal {
  readonly settings: EquipmentSettings
  readonly unsolicited: UnsolicitedOutput
}

/**
 * Returns settings for a second terminal. The values for which `isOwn` returns true belong to this terminal alone. All
 * other values are read and written in `settings`.
 */
function sharing(settings: EquipmentSettings, isOwn: (key: keyof EquipmentSettings) => boolean): EquipmentSettings {
  const others = { ...settings, registers: new Map(settings.registers) }
  for (const key of Object.keys(settings) as (keyof EquipmentSettings)[]) {
    if (isOwn(key)) continue
    Object.defineProperty(others, key, {
      enumerable: true,
      get: () => settings[key],
      set: (value) => Object.assign(settings, { [key]: value }),
    })
  }
  return others
}

const ownSettings: readonly (keyof EquipmentSettings)[] = [
  ...(['echo', 'quiet', 'verbose', 'registers', 'lineEnd', 'lineFeed', 'backspace', 'errorReports'] as const),
  ...(['messageFormat', 'showHeaders', 'cnmi'] as const),
]
