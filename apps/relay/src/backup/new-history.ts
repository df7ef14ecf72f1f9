import { StartError } from '@smsgw/daemon/start-error'
import type { Client } from 'pg'
import { newId, systemRandom } from '../random.ts'
import { opensCheck } from '../store/installation.ts'
import { secretBox } from '../store/secret-box.ts'

/**
 * Gives a restored database a new history id, because its history differs from the history that agents have seen. Also
 * checks SERVER_SECRET, so that a wrong secret is reported now and not at the next start.
 */
export async function newHistory(client: Client, serverSecret: string): Promise<void> {
  const { rows } = await client.query<{ sealed: string }>('SELECT secret_check AS sealed FROM installation')
  const sealed = rows[0]?.sealed
  if (sealed !== undefined && !opensCheck(secretBox(serverSecret, systemRandom), sealed))
    throw new StartError(
      'SERVER_SECRET is not the secret of the relay that was backed up, so nothing was restored: set the secret of that relay',
    )
  await client.query('UPDATE installation SET stream_id = $1', [newId(systemRandom)])
  // Ends all leases, because no device is connected to the restored relay yet.
  await endRelayLeases(client)
  await client.query('UPDATE devices SET relay_id = NULL, lease_until = NULL')
}

/**
 * Does nothing without a table of relays. The table may be missing in the backup of an older release, because a restore
 * applies migrations only afterwards.
 */
async function endRelayLeases(client: Client): Promise<void> {
  const { rowCount } = await client.query(
    "SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'relays'",
  )
  if (rowCount === 0) return
  await client.query(
    'UPDATE devices d SET last_seen = greatest(d.last_seen, r.renewed_at) FROM relays r WHERE r.id = d.relay_id',
  )
  await client.query('DELETE FROM relays')
}
