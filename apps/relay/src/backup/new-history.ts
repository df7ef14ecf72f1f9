import { StartError } from '@smsgw/daemon/start-error'
import type { Client } from 'pg'
import { newId, systemRandom } from '../random.ts'
import { opensCheck } from '../store/installation.ts'
import { secretBox } from '../store/secret-box.ts'

/**
 * What a restored database must not pass on: its history goes another way than the one that agents have seen. And whoever
 * restores with another secret is told so now, and not by a relay that does not start.
 */
export async function newHistory(client: Client, serverSecret: string): Promise<void> {
  const { rows } = await client.query<{ sealed: string }>('SELECT secret_check AS sealed FROM installation')
  const sealed = rows[0]?.sealed
  if (sealed !== undefined && !opensCheck(secretBox(serverSecret, systemRandom), sealed))
    throw new StartError(
      'SERVER_SECRET is not the one of the relay that the backup is of: set that one; nothing was restored',
    )
  await client.query('UPDATE installation SET stream_id = $1', [newId(systemRandom)])
  // Nobody holds a socket yet.
  await client.query('UPDATE devices SET relay_id = NULL, lease_until = NULL')
}
