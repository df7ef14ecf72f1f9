import type { Cancellation } from '../cancellation.ts'
import { readOperator } from '../commands/network/operator.ts'
import {
  canSendSms,
  type Registration,
  type RegistrationDomain,
  readRegistration,
  registrationIn,
} from '../commands/network/registration.ts'
import { askIfKnown, type Executor } from '../commands/query.ts'
import type { ResponseLine } from '../wire/response-line.ts'

/** The registration of the modem, from unsolicited codes and answers. */
export class RegistrationWatch {
  readonly #onChange: () => void
  readonly #byDomain = new Map<RegistrationDomain, Registration>()
  /** True if the modem reports neither a registration nor a missing network, and so counts as registered. */
  #assumed = false

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get registered(): boolean {
    return this.#assumed || [...this.#byDomain.values()].some(canSendSms)
  }

  /**
   * The registration used for messages: the one with the newest technology among the registrations that allow messages.
   * If none allows messages, one that shows the reason, because a domain that is not used would hide that the network
   * refuses the SIM.
   */
  get best(): Registration | undefined {
    const all = [...this.#byDomain.values()]
    return all.filter(canSendSms).at(-1) ?? all.filter(showsReason).at(-1) ?? all.at(-1)
  }

  get all(): readonly Registration[] {
    return [...this.#byDomain.values()]
  }

  handle(line: ResponseLine): boolean {
    const registration = registrationIn(line)
    if (registration === undefined) return false
    this.#take(registration)
    return true
  }

  /**
   * `domains`: empty if the modem does not report its registration. In that case, only a missing operator shows that
   * the network is missing.
   */
  async poll(executor: Executor, domains: readonly RegistrationDomain[], cancellation: Cancellation): Promise<void> {
    for (const domain of domains) {
      const registration = await askIfKnown(executor, readRegistration(domain), cancellation)
      if (registration !== undefined && !cancellation.cancelled) this.#take(registration)
    }
    if (domains.length > 0 || cancellation.cancelled) return
    const assumed = (await askIfKnown(executor, readOperator, cancellation)) !== 'none'
    if (cancellation.cancelled || assumed === this.#assumed) return
    this.#assumed = assumed
    this.#onChange()
  }

  forget(): void {
    this.#assumed = false
    this.#byDomain.clear()
  }

  #take(registration: Registration): void {
    const before = this.#byDomain.get(registration.domain)
    // In the order of the standard's numbering, so that the newest technology is last.
    this.#byDomain.set(registration.domain, withKnownCell(registration, before))
    if (before?.stat !== registration.stat || before.cell !== registration.cell) this.#onChange()
  }
}

function showsReason({ status }: Registration): boolean {
  return status !== 'not-searching' && status !== 'unknown'
}

/** Keeps the known cell, because the short form of the code contains the state without the cell. */
function withKnownCell(now: Registration, before: Registration | undefined): Registration {
  if (now.cell !== undefined || now.stat !== before?.stat) return now
  return { ...now, area: before.area, cell: before.cell, technology: now.technology ?? before.technology }
}
