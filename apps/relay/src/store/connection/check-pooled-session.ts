import { StartError } from '@smsgw/daemon/start-error'
import { escapeIdentifier } from 'pg'
import { databaseClient } from './database-client.ts'

/**
 * The settings that `connectDatabase` sets itself on connections without a pooler, with the values that are accepted.
 */
const SETTINGS = [
  { name: 'TimeZone', value: 'UTC', isRight: (value: string) => /^(?:Etc\/)?(?:UTC|GMT)$/i.test(value) },
  { name: 'synchronous_commit', value: 'on', isRight: (value: string) => value === 'on' || value === 'remote_apply' },
  { name: 'statement_timeout', value: '30s', isRight: (value: string) => isUpTo(value, 30_000) },
  { name: 'lock_timeout', value: '5s', isRight: (value: string) => isUpTo(value, 5_000) },
  { name: 'idle_in_transaction_session_timeout', value: '10s', isRight: (value: string) => isUpTo(value, 10_000) },
] as const

/**
 * A pooler in transaction mode refuses settings from its clients, so this function checks the settings of its sessions.
 * If a setting differs from what the relay needs, it throws an error that contains the statements to correct it.
 */
export async function checkPooledSession(url: string): Promise<void> {
  const client = databaseClient({ url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 })
  try {
    await client.connect()
    const names = SETTINGS.map(({ name }) => `('${name}')`).join(', ')
    const { rows } = await client.query<{ name: string; value: string; role: string; database: string }>(
      `SELECT name, CASE WHEN unit = 'ms' THEN setting ELSE current_setting(name) END AS value,
         current_user AS role, current_database() AS database
       FROM pg_settings JOIN (VALUES ${names}) AS wanted (setting_name) ON lower(setting_name) = lower(name)`,
    )
    const values = new Map(rows.map(({ name, value }) => [name.toLowerCase(), value]))
    const found = (name: string) => values.get(name.toLowerCase()) ?? ''
    const wrong = SETTINGS.filter(({ name, isRight }) => !isRight(found(name)))
    if (wrong.length === 0) return
    const { role = '', database = '' } = rows[0] ?? {}
    const where = `ALTER ROLE ${escapeIdentifier(role)} IN DATABASE ${escapeIdentifier(database)}`
    const problems = wrong.map(({ name, value }) => `${name} is ${found(name)}, must be ${value}`)
    const cure = wrong.map(({ name, value }) => `${where} SET ${name} = '${value}';`)
    throw new StartError(
      `the sessions of the pooler in DATABASE_URL have wrong settings: ${problems.join('; ')}. ` +
        `Run in the database: ${cure.join(' ')} Then run RECONNECT in the console of PgBouncer`,
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Returns true if a time limit is at most this value. Time limits are in milliseconds; 0 means no limit. */
function isUpTo(value: string, mostMs: number): boolean {
  return Number(value) > 0 && Number(value) <= mostMs
}
