import type { Client } from 'pg'
import { newId, systemRandom } from '../random.ts'

/**
 * A restored gateway has a database and a journal of the same old state. After the backup it may have sent messages that both
 * list as pending. So the journal counts as an old copy by the rule of the link, and nothing in it is sent. Messages that
 * were not dispatched count as dispatched to a lost journal: they end as `submit_unknown` unless evidence arrives. Messages
 * that are not due yet cannot have been sent.
 */
export async function distrustBuiltInDevice(client: Client, now: Date): Promise<void> {
  const lost = newId(systemRandom)
  const { rows } = await client.query<{ id: string }>(
    'UPDATE devices SET journal_id = $1 WHERE built_in AND journal_id IS NOT NULL RETURNING id',
    [lost],
  )
  for (const { id } of rows) {
    await client.query('INSERT INTO device_journals (device_id, journal_id, created_at) VALUES ($1, $2, $3)', [
      id,
      lost,
      now,
    ])
    await client.query(
      `UPDATE recipients SET dispatched_journal = $2, dispatched_at = $3
        WHERE device_id = $1 AND state IN ('Pending', 'Cancelling', 'Processed')
          AND dispatched_journal IS NULL AND not_before <= $3`,
      [id, lost, now],
    )
  }
}
