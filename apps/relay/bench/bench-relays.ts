import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { startRelayProcess, startRelayProcessOf, type TestRelayProcess } from '../src/testing/relay-process.ts'
import type { BenchDatabase } from './bench-database.ts'

export interface BenchRelays {
  readonly urls: readonly string[]
  readonly pids: readonly number[]
  /** Value of the `Authorization` header. */
  readonly auth: string
  readonly accountId: string
  readonly deviceId: string
}

/** Starts relays as separate processes on one database, with an account and a device that never connects. */
export async function withBenchRelays(
  { url, pool }: BenchDatabase,
  count: number,
  work: (relays: BenchRelays) => Promise<void>,
  /**
   * `main` is the entry point of another build, for example a bundle, relative to the folder in which the command was
   * entered. The other members are settings.
   */
  {
    main,
    settings: more = {},
  }: { readonly main?: string | undefined; readonly settings?: Record<string, string> } = {},
): Promise<void> {
  const password = randomBytes(12).toString('base64url')
  const settings = {
    DATABASE_URL: url,
    SERVER_SECRET: randomBytes(32).toString('base64'),
    ADMIN_USERNAME: 'sms',
    ADMIN_PASSWORD: password,
    QUEUE_MAX_PENDING: '10000000',
    // Makes agents appear to connect from many addresses. Each process with agents has its own loopback address.
    TRUSTED_PROXIES: '127.0.0.0/8',
    ...more,
  }
  const relays: TestRelayProcess[] = []
  try {
    for (let index = 0; index < count; index++)
      relays.push(
        await (main === undefined ? startRelayProcess(settings) : startRelayProcessOf(fromCwd(main), settings)),
      )
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM accounts')
    const accountId = rows[0]?.id ?? ''
    const deviceId = 'd'.repeat(21)
    await pool.query('INSERT INTO devices (id, account_id, name) VALUES ($1, $2, $1)', [deviceId, accountId])
    const auth = `Basic ${Buffer.from(`sms:${password}`).toString('base64')}`
    await work({ urls: relays.map(({ url }) => url), pids: relays.map(({ pid }) => pid), auth, accountId, deviceId })
  } finally {
    for (const { kill } of relays) kill('SIGTERM')
    await Promise.all(relays.map(({ ended }) => ended))
  }
}

/** `npm run` starts the bench in another folder, and passes the folder of its caller in this variable. */
function fromCwd(path: string): string {
  return resolve(process.env['INIT_CWD'] ?? '', path)
}
