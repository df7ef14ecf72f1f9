import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { connectDatabase, type Database } from '../store/database.ts'
import { databaseUrl } from './database-url.ts'

/** Long enough for a busy machine, on which the process of a closed connection may end some seconds later. */
const GONE_WITHIN_MS = 120_000

export interface TestDatabase {
  readonly url: string
  readonly database: Database
  /** Drops the database. Fails if the test left a connection open. */
  close(): Promise<void>
}

/**
 * A database for all tests of a file. Registers the test hooks that create it before the first test and drop it at the
 * end.
 */
export function useTestDatabase(options?: { readonly connections?: number }): Pick<TestDatabase, 'url' | 'database'> {
  let opened: TestDatabase
  beforeAll(async () => {
    opened = await testDatabase(options)
  })
  afterAll(() => opened.close())
  return {
    get url() {
      return opened.url
    },
    get database() {
      return opened.database
    },
  }
}

/** Creates a database with all migrations and without rows. */
export function testDatabase({ connections = 5 }: { readonly connections?: number } = {}): Promise<TestDatabase> {
  return makeDatabase(inject('postgres').template, connections)
}

/** Creates a database without tables. */
export function emptyDatabase(): Promise<TestDatabase> {
  return makeDatabase('template0', 1)
}

async function makeDatabase(template: string, connections: number): Promise<TestDatabase> {
  const server = inject('postgres')
  const name = `smsgw_test_${randomBytes(8).toString('hex')}`
  // Copying files takes half the time of the default strategy, which writes all pages to the WAL.
  await onServer(server.url, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`),
  )
  const url = patientUrl(databaseUrl(server.url, name))
  const database = connectDatabase({ url, connections, transactionLimits: PATIENT_TRANSACTIONS })
  return {
    url,
    database,
    async close() {
      await database.$disconnect()
      await onServer(server.url, async (client) => {
        const leftOpen = await leftOpenTo(client, name)
        await client.query(`DROP DATABASE ${name} WITH (FORCE)`)
        if (leftOpen.length > 0) throw new Error(`the test left connections open:\n${leftOpen.join('\n')}`)
      })
    },
  }
}

/** Limits of transactions that a test does not exceed, even if it waits for an event during the transaction. */
export const PATIENT_TRANSACTIONS = { maxWait: 60_000, timeout: 150_000 }

/**
 * Sets time limits of PostgreSQL that a busy machine does not exceed. They are in the URL, because there they also
 * replace the limits of a relay that a test starts.
 */
function patientUrl(url: string): string {
  const patient = new URL(url)
  for (const limit of LIMITS) patient.searchParams.set(limit, '150000')
  return patient.href
}

/** Returns the URL of a test database without its time limits, so that a relay has its own, shorter limits. */
export function impatientUrl(url: string): string {
  const impatient = new URL(url)
  for (const limit of LIMITS) impatient.searchParams.delete(limit)
  return impatient.href
}

const LIMITS = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout']

/** Returns the open connections. Waits, because PostgreSQL may list closed connections for a moment. */
async function leftOpenTo(client: Client, database: string): Promise<string[]> {
  for (const giveUpAt = performance.now() + GONE_WITHIN_MS; ; await sleep(10)) {
    const { rows } = await client.query(
      `SELECT state, query FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
      [database],
    )
    if (rows.length === 0 || performance.now() > giveUpAt) return rows.map(({ state, query }) => `${state}: ${query}`)
  }
}

async function onServer(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
