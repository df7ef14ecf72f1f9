import type { Client } from 'pg'
import { newId, systemRandom } from '../random.ts'

/**
 * The modem's own device came back with the database, and with a journal that is as old. Since then it may have sent what
 * both take for waiting. So its journal is told to be an old copy, by the rule of the link: nothing that it holds is sent.
 * And what had not been handed over to it counts as given to a journal that is lost: it ends as `submit_unknown` unless
 * evidence comes. What is not due yet cannot have been sent.
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
          AND dispatched_journal IS NULL AND due_at <= $3`,
      [id, lost, now],
    )
  }
}
