import { type FromAgent, insertReceived } from '../../inbox/insert-received-statement.ts'
import type { AgentConnection } from '../../link/claim/agent-connection.ts'
import type { Statements } from '../../store/database.ts'
import { fenceBatches } from '../fence-batches-statement.ts'
import { storeParts } from '../store-parts-statement.ts'
import { storeSoleReceived } from '../store-sole-received-statement.ts'
import { writeMarks } from '../write-marks-statement.ts'

/** Runs every statement that stores reported events at least once, for `statements.test.ts`. */
export function ingestExamples(
  now: Date,
  connection: AgentConnection,
): Readonly<Record<string, (statements: Statements) => Promise<unknown>>> {
  const received: FromAgent = {
    type: 'SMS',
    id: 'received',
    receivedAt: now.toISOString(),
    sender: '+447700900123',
    text: 'hello',
  }
  return {
    'inbox/insert-received-statement.ts': (s) =>
      insertReceived(s, { id: 'device', accountId: 'account' }, received, now),
    'ingest/fence-batches-statement.ts': (s) => fenceBatches(s, [connection]),
    'ingest/store-parts-statement.ts': (s) =>
      storeParts(
        s,
        [{ kind: 'part-reported', cmdId: 'm/0', part: 1, status: 0, words: 'received', at: 0 } as never],
        now,
      ),
    'ingest/store-sole-received-statement.ts': async (s) => {
      // The receiver is taken if no other delivery is due.
      await s.webhookDelivery.updateMany({ data: { state: 'delivered', finishedAt: now } })
      const free = { worker: 1, leaseSeconds: 1, busy: [], limit: 1 }
      await storeSoleReceived(s, { connection, seq: 1, tag: undefined, event: received }, now, free)
    },
    'ingest/write-marks-statement.ts': (s) => writeMarks(s, [{ ...connection, mark: 1, tag: undefined }]),
  }
}
