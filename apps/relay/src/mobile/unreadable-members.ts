import type { z } from 'zod'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import type { Logbook, LogbookEntry } from '../logs/logbook.ts'

/** Members of a phone's request that are left out if they cannot be read. The rest of the request is used. */
type Unreadable =
  | 'ignored a received message'
  | 'ignored an attachment of a received message'
  | 'ignored a report about the state of a message'

const LONGEST_MEMBER = 100

/**
 * The unreadable members of one request. The log of the account gets one entry for each kind, with the name of the
 * first member and the number of members, because a request may have thousands. The log entry never contains a value.
 */
export class UnreadableMembers {
  readonly #phone: AgentConnection
  readonly #entries = new Map<Unreadable, { readonly entry: LogbookEntry; count: number }>()

  constructor(phone: AgentConnection) {
    this.#phone = phone
  }

  add(about: { readonly module: string; readonly what: Unreadable }, [issue]: readonly z.core.$ZodIssue[]): void {
    const known = this.#entries.get(about.what)
    if (known !== undefined) {
      known.count += 1
      return
    }
    const { accountId, deviceId } = this.#phone
    const member = issue?.path.join('.').slice(0, LONGEST_MEMBER) ?? ''
    const entry: LogbookEntry = {
      ...{ accountId, deviceId, module: about.module, priority: 'WARN' },
      message: `${about.what}: the phone sent it in an unknown format`,
      context: { member, problem: issue?.message ?? '' },
    }
    this.#entries.set(about.what, { entry, count: 1 })
  }

  writeTo(logbook: Logbook): void {
    for (const { entry, count } of this.#entries.values())
      logbook.write({ ...entry, context: { ...entry.context, count: String(count) } })
  }
}
