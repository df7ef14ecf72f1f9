import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { startRelayProcess, startRelayProcessOf } from '../src/testing/relay-process.ts'
import type { BenchDatabase } from './bench-database.ts'

/** The account of a benchmark, and its device, which never connects. */
export interface BenchOwner {
  readonly accountId: string
  readonly deviceId: string
}

/** The password of the account, and the key with which the relay encrypts secrets. */
export interface BenchSecrets {
  readonly password: string
  readonly serverSecret: string
}

export interface BenchRelays extends BenchOwner {
  readonly urls: readonly string[]
  readonly pids: readonly number[]
  /** Value of the `Authorization` header. */
  readonly auth: string
}

/** Starts relays as separate processes on one database, with an account and a device that never connects. */
export async function withBenchRelays(
  { url, pool }: BenchDatabase,
  count: number,
  work: (relays: BenchRelays) => Promise<void>,
  /**
   * `main` is the entry point of another build, for example a bundle, relative to the folder in which the command was
   * entered. `prepare` runs when the account and the device exist, while no relay runs. A database that is used again
   * needs the secrets of its first run.
   */
  {
    main,
    settings: more = {},
    secrets: { password, serverSecret } = newSecrets(),
    prepare,
  }: {
    readonly main?: string | undefined
    readonly settings?: Record<string, string>
    readonly secrets?: BenchSecrets
    readonly prepare?: ((owner: BenchOwner) => Promise<void>) | undefined
  } = {},
): Promise<void> {
  const settings = {
    DATABASE_URL: url,
    SERVER_SECRET: serverSecret,
    ADMIN_USERNAME: 'sms',
    ADMIN_PASSWORD: password,
    QUEUE_MAX_PENDING: '10000000',
    // Makes agents appear to connect from many addresses. Each process with agents has its own loopback address.
    TRUSTED_PROXIES: '127.0.0.0/8',
    ...more,
  }
  const start = () => (main === undefined ? startRelayProcess(settings) : startRelayProcessOf(fromCwd(main), settings))
  // The first relay creates the account.
  const relays = [await start()]
  const stop = async () => {
    const running = relays.splice(0)
    for (const { kill } of running) kill('SIGTERM')
    await Promise.all(running.map(({ ended }) => ended))
  }
  // After a signal, the process ends without the steps below.
  const killAll = () => {
    for (const { kill } of relays) kill('SIGKILL')
  }
  process.once('exit', killAll)
  try {
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM accounts')
    const accountId = rows[0]?.id ?? ''
    const deviceId = 'd'.repeat(21)
    await pool.query('INSERT INTO devices (id, account_id, name) VALUES ($1, $2, $1) ON CONFLICT (id) DO NOTHING', [
      deviceId,
      accountId,
    ])
    if (prepare !== undefined) {
      await stop()
      await prepare({ accountId, deviceId })
    }
    while (relays.length < count) relays.push(await start())
    const auth = `Basic ${Buffer.from(`sms:${password}`).toString('base64')}`
    await work({ urls: relays.map(({ url }) => url), pids: relays.map(({ pid }) => pid), auth, accountId, deviceId })
  } finally {
    await stop()
    process.off('exit', killAll)
  }
}

export function newSecrets(): BenchSecrets {
  return { password: randomBytes(12).toString('base64url'), serverSecret: randomBytes(32).toString('base64') }
}

/** `npm run` starts the bench in another folder, and passes the folder of its caller in this variable. */
export function fromCwd(path: string): string {
  return resolve(process.env['INIT_CWD'] ?? '', path)
}
