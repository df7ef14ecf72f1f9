import type { Client } from 'pg'
import { newId, systemRandom } from '../random.ts'

/**
 * Prevents a restored gateway from sending a message twice, because messages that were pending at the backup may have
 * been sent since then. The restored journal counts as an old copy, so none of its messages are sent. Messages that are
 * not yet due stay pending. All other messages that were not dispatched are treated as if they had been dispatched to a
 * lost journal: they end as `submit_unknown` unless evidence arrives. Uses only columns of the first release, because a
 * restore applies newer migrations afterwards.
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
      `UPDATE recipients r SET dispatched_journal = $2, dispatched_at = $3 FROM messages m
        WHERE r.device_id = $1 AND r.state IN ('Pending', 'Cancelling', 'Processed')
          AND r.dispatched_journal IS NULL AND m.key = r.message_key AND (m.schedule_at IS NULL OR m.schedule_at <= $3)`,
      [id, lost, now],
    )
  }
}
