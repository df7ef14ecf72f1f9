import type { z } from 'zod'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import type { Logbook } from '../logs/logbook.ts'

/** What a phone sent that is left out when it cannot be read. The rest of the request is kept. */
type Unreadable =
  | 'received message skipped'
  | 'attachment of a received message left out'
  | 'report of a message state skipped'

/** Writes to the log of the account which member could not be read, never its value. */
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
