/**
 * Records the PINs that were entered without unlocking the SIM. The records are needed because a SIM counts all
 * attempts and locks after the third. The records apply to all ports, to all starts, and to later processes if the
 * owner stores `records`.
 *
 * A record is deleted when the SIM is ready. Its verdict is one of:
 *
 * - `open`: the PIN was entered and the result is still unknown.
 * - `refused`: the SIM reported a refusal, or its counter went down.
 * - `spent`: the result could not be determined.
 */
export class PinMemory {
  readonly #keep: (records: readonly EnteredPin[]) => void | Promise<void>
  #records: readonly EnteredPin[]
  #kept = Promise.resolve(true)

  constructor(options: PinMemoryOptions = {}) {
    this.#records = options.records ?? []
    this.#keep = options.keep ?? (() => undefined)
  }

  /** Plain data for JSON. Contains PINs, so it must be protected like the configuration. */
  get records(): readonly EnteredPin[] {
    return this.#records
  }

  /** Returns the record with the worst known result. A SIM without a reported ICCID may be any SIM. */
  find(sim: string | null, pin: string): EnteredPin | undefined {
    const found = this.#records.filter((record) => isAbout(record, sim, pin))
    return verdicts.map((verdict) => found.find((record) => record.verdict === verdict)).find(Boolean)
  }

  /** Returns false if the record could not be stored. A PIN without a stored record must not be entered. */
  async note(record: EnteredPin): Promise<boolean> {
    return this.#become([...this.#records.filter(({ sim, pin }) => sim !== record.sim || pin !== record.pin), record])
  }

  /** Must be called when the PIN has unlocked the SIM, or was not entered. */
  async forget(sim: string | null, pin: string): Promise<void> {
    const left = this.#records.filter((record) => !isAbout(record, sim, pin))
    if (left.length < this.#records.length) await this.#become(left)
  }

  /**
   * Writes the newest records after each change. Only one write runs at a time, so a slow write cannot overwrite a
   * newer write.
   */
  #become(records: readonly EnteredPin[]): Promise<boolean> {
    this.#records = records
    this.#kept = this.#kept.then(async () => {
      try {
        await this.#keep(this.#records)
        return true
      } catch {
        // The result `false` reports the failure. The previously stored record prevents a repeated entry.
        return false
      }
    })
    return this.#kept
  }
}

export interface PinMemoryOptions {
  /** The records that were stored last. */
  readonly records?: readonly EnteredPin[]
  /**
   * Called at each change, and before a PIN is entered. Nothing is written to the modem until the promise has resolved.
   */
  readonly keep?: (records: readonly EnteredPin[]) => void | Promise<void>
}

export interface EnteredPin {
  /** ICCID; null if the modem does not report it while the SIM is locked. */
  readonly sim: string | null
  readonly pin: string
  readonly verdict: 'open' | 'spent' | 'refused'
  /** How often the PIN was entered without unlocking the SIM. */
  readonly entries: number
  /** The number of attempts left before the entry. */
  readonly triesBefore: number
}

const verdicts = ['refused', 'spent', 'open'] as const

function isAbout(record: EnteredPin, sim: string | null, pin: string): boolean {
  return record.pin === pin && (sim === null || record.sim === null || record.sim === sim)
}

/**
 * Returns the result of an earlier entry. A PIN whose entry had no result, for example because of a crash, may be
 * entered again if the counter shows that the SIM did not refuse it. This is allowed only once, because the counter may
 * be wrong, and one of three attempts must remain.
 */
export function resultOf(entered: EnteredPin, tries: number | undefined): EnteredPin['verdict'] {
  if (entered.verdict === 'refused' || hasFallen(entered, tries)) return 'refused'
  return entered.verdict === 'open' && tries !== undefined && entered.entries < mostEntries ? 'open' : 'spent'
}

/** How often the same PIN is entered into one SIM. */
const mostEntries = 2

export function hasFallen({ triesBefore }: EnteredPin, tries: number | undefined): boolean {
  return tries !== undefined && tries < triesBefore
}
