import type { z } from 'zod'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import type { Logbook } from '../logs/logbook.ts'

/** Members of a phone's request that are left out if they cannot be read. The rest of the request is used. */
type Unreadable =
  | 'received message skipped'
  | 'attachment of a received message left out'
  | 'report of a message state skipped'

/** Writes the name of the unreadable member to the log of the account. Never writes its value. */
export function logUnreadable(
  logbook: Logbook,
  { accountId, deviceId }: AgentConnection,
  about: { readonly module: string; readonly what: Unreadable },
  [issue]: readonly z.core.$ZodIssue[],
): void {
  logbook.write({
    ...{ accountId, deviceId, module: about.module, priority: 'WARN' },
    message: `${about.what}: the phone sent it in an unknown form`,
    context: { member: issue?.path.join('.') ?? '', problem: issue?.message ?? '' },
  })
}
