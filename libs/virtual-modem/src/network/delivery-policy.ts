/** What becomes of messages to a number that no modem here has, or that the service centre does not want. */
export type DeliveryPolicy =
  /** Default. The report says delivered. */
  | { readonly outcome: 'delivered'; readonly afterMs?: number }
  /** The report says failed for good; `status` is a TP-ST from 0x40 on (default 0x49, unknown subscriber). */
  | { readonly outcome: 'fails'; readonly status?: number; readonly afterMs?: number }
  /** Two reports: still trying (`status`, default 0x21, busy), then delivered. */
  | {
      readonly outcome: 'delivered-late'
      readonly status?: number
      readonly afterMs?: number
      readonly finallyAfterMs?: number
    }
  /** No report ever. */
  | { readonly outcome: 'silent' }
  /** The report says expired; by default when the validity period is over. */
  | { readonly outcome: 'expires'; readonly afterMs?: number }
  /** The SUBMIT is refused with this RP or TP cause, which the sender sees as +CMS ERROR. */
  | { readonly outcome: 'rejected'; readonly cause: number }

/** Policies by the beginning of the number; the longest that fits wins. */
export class DeliveryPolicies {
  #byPrefix = new Map<string, DeliveryPolicy>()

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
    for (const [prefix, policy] of this.#byPrefix) {
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
