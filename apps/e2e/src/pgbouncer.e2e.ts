// A relay behind PgBouncer in transaction mode, with fewer server connections than the relay's pool has.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { startEmptyPostgres } from './house/fleet.ts'
import { House } from './house/house.ts'
import { freePort } from './house/machine/free-port.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { asOrdinaryUser } from './house/machine/ordinary-user.ts'
import type { PostgresServer } from './house/machine/postgres-server.ts'
import { HouseProcess } from './house/machine/process.ts'

const PGBOUNCER = '/usr/sbin/pgbouncer'
const version = spawnSync(PGBOUNCER, ['--version'], { encoding: 'utf8' })
const isInstalled = version.status === 0
/** A test that is skipped if Debian's package pgbouncer is not installed. */
const withPgBouncer = test.skipIf(!isInstalled)

/**
 * The setting that switches prepared statements off. Versions before 1.21 have no prepared statements, and refuse the
 * setting.
 */
const WITHOUT_PREPARED = canPrepare(version.stdout ?? '') ? 'max_prepared_statements = 0' : ''

const SERVER_CONNECTIONS = 3
const NUMBERS = Array.from({ length: 40 }, (_, at) => `+4474001234${String(at).padStart(2, '0')}`)

const folder = mkdtempSync(join(tmpdir(), 'smsgw-pgbouncer-'))
let postgres: PostgresServer
let pooler: HouseProcess | undefined
let settings: Readonly<Record<string, string>>

beforeAll(async () => {
  if (!isInstalled) return
  chmodSync(folder, 0o755)
  const started = await startEmptyPostgres(folder)
  postgres = started.postgres
  const { port, password } = new URL(started.url)
  const poolerPort = await freePort()
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
smsgw = host=127.0.0.1 port=${port} dbname=smsgw user=smsgw password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${poolerPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
${WITHOUT_PREPARED}
`,
    { mode: 0o644 },
  )
  const [file = PGBOUNCER, ...args] = [...asOrdinaryUser, PGBOUNCER, join(folder, 'pgbouncer.ini')]
  pooler = new HouseProcess('pgbouncer', file, args, {}, { folder })
  await eventually(
    () => pooler?.complaints,
    (log) => log?.includes('process up') === true,
  )
  settings = { DATABASE_URL: `postgresql://smsgw@127.0.0.1:${poolerPort}/smsgw`, DATABASE_DIRECT_URL: started.url }
})

afterAll(async () => {
  await pooler?.stop()
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
})

withPgBouncer('a start names the settings that the sessions of the pooler lack', async () => {
  const secret = { SERVER_SECRET: 'bG9vayBiZWhpbmQgdGhlIHdhdGVyZmFsbCBhdCBub29u' }
  const relay = new HouseProcess('relay', mainScripts.relay, [], { ...settings, ...secret, PORT: '0' })
  expect(await relay.ended()).toBe(1)
  expect(relay.complaints).toContain('statement_timeout is 0, must be 30s')
  expect(relay.complaints).toContain(`ALTER ROLE "smsgw" IN DATABASE "smsgw" SET lock_timeout = '5s';`)
})

withPgBouncer('a relay sends, receives and migrates through a pooler in transaction mode', async () => {
  const database = new Client({ connectionString: settings['DATABASE_DIRECT_URL'] })
  await database.connect()
  try {
    for (const set of [
      "TimeZone = 'UTC'",
      "statement_timeout = '30s'",
      "lock_timeout = '5s'",
      "idle_in_transaction_session_timeout = '10s'",
    ])
      await database.query(`ALTER ROLE smsgw IN DATABASE smsgw SET ${set}`)
    await database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'smsgw' AND pid <> pg_backend_pid()",
    )
    const house = await House.start({ relay: settings })
    try {
      const ids = await Promise.all(
        NUMBERS.map((number) => house.api.send({ phoneNumbers: [number], textMessage: { text: 'Hello' } })),
      )
      for (const id of ids) await house.api.until(id, ({ state }) => state === 'Delivered')
      const { rows } = await database.query(
        "SELECT application_name AS name, count(*)::int FROM pg_stat_activity WHERE usename = 'smsgw' GROUP BY 1",
      )
      const counts = new Map(rows.map(({ name, count }) => [name, count]))
      expect(counts.get('smsgw relay')).toBeLessThanOrEqual(SERVER_CONNECTIONS)
      for (const name of ['smsgw hints', 'smsgw periodic work', 'smsgw webhooks']) expect(counts.get(name)).toBe(1)
      expect(await preparedStatements()).toEqual([])
    } finally {
      await house.stop()
    }
  } finally {
    await database.end()
  }
})

/**
 * Returns the named statements in all sessions of the pooler. The relay shares these sessions with the other clients of
 * the pooler.
 */
async function preparedStatements(): Promise<unknown[]> {
  const clients = Array.from({ length: SERVER_CONNECTIONS }, () => {
    return new Client({ connectionString: settings['DATABASE_URL'] })
  })
  try {
    const found: unknown[] = []
    for (const client of clients) {
      await client.connect()
      // Opens transactions, so that each client has a different session.
      await client.query('BEGIN')
      found.push(...(await client.query('SELECT name, statement FROM pg_prepared_statements')).rows)
    }
    return found
  } finally {
    for (const client of clients) await client.end()
  }
}

function canPrepare(text: string): boolean {
  const [, major = 0, minor = 0] = /^PgBouncer (\d+)\.(\d+)/i.exec(text) ?? []
  return Number(major) > 1 || Number(minor) >= 21
}
