/**
 * Which PIN has been entered into which SIM without having opened it. It outlives starts and ports, and processes as well
 * when its owner keeps `records` and gives them back: a SIM counts across all of them, and locks itself at the third.
 *
 * `open`: entered, and what came of it is not known yet. → forgotten when the SIM is ready, `refused` when the SIM said so
 * or its counter fell, `spent` when neither could be found out.
 */
export class PinMemory {
  readonly #keep: (records: readonly EnteredPin[]) => void | Promise<void>
  #records: readonly EnteredPin[]
  #kept = Promise.resolve(true)

  constructor(options: PinMemoryOptions = {}) {
    this.#records = options.records ?? []
    this.#keep = options.keep ?? (() => undefined)
  }

  /** Plain data for JSON. It holds PINs, so it is to be kept as the configuration is that they come from. */
  get records(): readonly EnteredPin[] {
    return this.#records
  }

  /** The worst that is known. A SIM that does not tell which one it is may be any. */
  find(sim: string | null, pin: string): EnteredPin | undefined {
    const found = this.#records.filter((record) => isAbout(record, sim, pin))
    return verdicts.map((verdict) => found.find((record) => record.verdict === verdict)).find(Boolean)
  }

  /** How many tries it may have cost the SIM since it was opened last, whichever PIN was entered. */
  triesSpent(sim: string | null): number {
    const about = this.#records.filter((record) => sim === null || record.sim === null || record.sim === sim)
    return about.reduce((sum, { entries }) => sum + entries, 0)
  }

  /** False when it could not be kept: a PIN that the next process knows nothing of is not to be entered. */
  async note(record: EnteredPin): Promise<boolean> {
    return this.#become([...this.#records.filter(({ sim, pin }) => sim !== record.sim || pin !== record.pin), record])
  }

  /** The PIN was right: what others have cost the SIM before, it counts no longer. They stay refused. */
  async opened(sim: string | null, pin: string): Promise<void> {
    const left = this.#records.filter((record) => !isAbout(record, sim, pin))
    const counted = left.some((record) => record.sim === sim && record.entries > 0)
    if (!counted && left.length === this.#records.length) return
    await this.#become(left.map((record) => (record.sim === sim ? { ...record, entries: 0 } : record)))
  }

  /** It was never entered. */
  async forget(sim: string | null, pin: string): Promise<void> {
    const left = this.#records.filter((record) => !isAbout(record, sim, pin))
    if (left.length < this.#records.length) await this.#become(left)
  }

  /** Kept one after the other, always the newest: a slow disk must not end with what an older change was. */
  #become(records: readonly EnteredPin[]): Promise<boolean> {
    this.#records = records
    this.#kept = this.#kept.then(async () => {
      try {
        await this.#keep(this.#records)
        return true
      } catch {
        // Said by the answer; and what was kept before errs on the side of not entering it.
        return false
      }
    })
    return this.#kept
  }
}

export interface PinMemoryOptions {
  /** As they were kept last. */
  readonly records?: readonly EnteredPin[]
  /** Called at each change, and before the PIN is entered: nothing is written to the modem until it has resolved. */
  readonly keep?: (records: readonly EnteredPin[]) => void | Promise<void>
}

export interface EnteredPin {
  /** ICCID; null where the modem does not tell it while the SIM is locked. */
  readonly sim: string | null
  readonly pin: string
  readonly verdict: 'open' | 'spent' | 'refused'
  /** How often it has been entered since the SIM was opened last. */
  readonly entries: number
  /** How many tries were left before it was entered; null where the modem does not tell. */
  readonly triesBefore: number | null
}

const verdicts = ['refused', 'spent', 'open'] as const

function isAbout(record: EnteredPin, sim: string | null, pin: string): boolean {
  return record.pin === pin && (sim === null || record.sim === null || record.sim === sim)
}
