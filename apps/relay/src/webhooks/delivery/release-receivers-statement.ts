import type { Database } from '../../store/database.ts'

/** Releases receivers for other workers. Locks the receivers in the order of their keys. */
export async function releaseReceivers(database: Database, worker: number, keys: readonly bigint[]): Promise<void> {
  await database.$executeRaw`
    UPDATE webhooks SET served_by = NULL, served_until = NULL
    WHERE key IN (SELECT key FROM webhooks WHERE key = ANY (${[...keys]}::bigint[]) AND served_by = ${worker}
      ORDER BY key FOR NO KEY UPDATE)`
}
