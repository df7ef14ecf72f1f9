/** How the service centre treats messages to a number outside the emulator. */
export type DeliveryPolicy =
  /**
   * Default. The report states that the message was delivered. `acceptAfterMs`: extra time before the service centre
   * accepts the message. `reply`: the receiver answers by SMS, with the same text or another text.
   */
  | {
      readonly outcome: 'delivered'
      readonly afterMs?: number
      readonly acceptAfterMs?: number
      readonly reply?: 'echo' | { readonly text: string }
    }
  /** The report states a permanent failure; `status` is a TP-ST of at least 0x40 (default 0x49, unknown subscriber). */
  | { readonly outcome: 'fails'; readonly status?: number; readonly afterMs?: number }
  /** Sends two reports: still trying (`status`, default 0x21, busy), then delivered. */
  | {
      readonly outcome: 'delivered-late'
      readonly status?: number
      readonly afterMs?: number
      readonly finallyAfterMs?: number
    }
  /** Sends no report. */
  | { readonly outcome: 'silent' }
  /**
   * The report states that the message has expired. The report is sent after `afterMs`, by default when the validity
   * period ends.
   */
  | { readonly outcome: 'expires'; readonly afterMs?: number }
  /**
   * Refuses the SUBMIT with this RP or TP cause, which the sender sees as +CMS ERROR. `times`: the number of refusals
   * after which each message is accepted.
   */
  | { readonly outcome: 'rejected'; readonly cause: number; readonly times?: number }
  /**
   * Accepts the message, but answers with CMS 500 (unknown error). Then sends a report that the message was delivered,
   * or no report.
   */
  | { readonly outcome: 'answer-lost'; readonly reportAfterMs?: number }

/**
 * The policies by number prefix. The longest matching prefix is used. A configured policy takes precedence over a test
 * number of equal length.
 */
export class DeliveryPolicies {
  readonly #testNumbers: ReadonlyMap<string, DeliveryPolicy>
  readonly #byPrefix = new Map<string, DeliveryPolicy>()

  constructor(testNumbers: readonly { readonly number: string; readonly policy: DeliveryPolicy }[]) {
    this.#testNumbers = new Map(testNumbers.map(({ number, policy }) => [number, policy]))
  }

  set(prefix: string, policy: DeliveryPolicy): void {
    this.#byPrefix.set(prefix, policy)
  }

  clear(prefix?: string): void {
    if (prefix === undefined) this.#byPrefix.clear()
    else this.#byPrefix.delete(prefix)
  }

  of(number: string): DeliveryPolicy {
    let best: DeliveryPolicy = { outcome: 'delivered' }
    let longest = -1
    for (const [prefix, policy] of [...this.#byPrefix, ...this.#testNumbers]) {
      if (prefix.length > longest && number.startsWith(prefix)) {
        best = policy
        longest = prefix.length
      }
    }
    return best
  }

  list(): { readonly prefix: string; readonly policy: DeliveryPolicy }[] {
    return [...this.#byPrefix].map(([prefix, policy]) => ({ prefix, policy }))
  }
}
