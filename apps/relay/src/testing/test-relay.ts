import { randomBytes } from 'node:crypto'
import { openLog } from '@smsgw/daemon/log/log'
import { createAccount } from '../accounts/create-account.ts'
import type { Clock } from '../clock.ts'
import { readRelayConfig } from '../config.ts'
import { checkAnswer } from '../http/answer/check-answer.ts'
import { type Random, systemRandom } from '../random.ts'
import { type RelayOptions, startRelay } from '../relay.ts'
import type { Database } from '../store/database.ts'
import { secretBox } from '../store/secret-box.ts'
import { type Called, callUrl, type TestCallOptions } from './call-url.ts'
import { impatientUrl, testDatabase } from './test-database.ts'

const API = '/3rdparty/v1'

export interface TestRelayOptions {
  /** Settings as in the environment, such as `{ MAX_SEGMENTS: '10' }`. */
  readonly settings?: Readonly<Record<string, string>>
  readonly isLocal?: boolean
  readonly clock?: Clock
  readonly random?: Random
  readonly onPasswordChanged?: NonNullable<RelayOptions['onPasswordChanged']>
  readonly push?: RelayOptions['push']
  /** True if transactions of the relay have the time limits of the product, for a test that holds a lock. */
  readonly isImpatient?: true
  /** Changes the database before the relay starts. */
  readonly prepare?: (databaseUrl: string) => Promise<void>
}

export interface TestAccount {
  readonly id: string
  readonly username: string
  readonly password: string
  /** Value of the `Authorization` header. */
  readonly basic: string
}

export interface TestRelay {
  readonly url: string
  readonly databaseUrl: string
  readonly database: Database
  /** The first account, used by calls without `auth`. */
  readonly account: TestAccount
  addAccount(username?: string): Promise<TestAccount>
  /** Calls the API with a path such as `/messages`, which stands for `/3rdparty/v1/messages`. */
  api(method: string, path: string, options?: TestCallOptions): Promise<Called>
  /** Calls any path. */
  request(method: string, path: string, options?: TestCallOptions): Promise<Called>
  /** The log lines so far. */
  readonly logged: readonly string[]
  /** Fails if an error was logged, for example about a 500 or an answer that does not match its route. */
  close(): Promise<void>
}

/** Starts a complete relay in this process with its own database. */
export async function testRelay(options: TestRelayOptions = {}): Promise<TestRelay> {
  const { settings = {}, prepare, isImpatient, ...rest } = options
  const { url: databaseUrl, database, close: closeDatabase } = await testDatabase()
  await prepare?.(databaseUrl)
  const config = readRelayConfig({
    PORT: '0',
    CONSOLE_DIR: 'off',
    DATABASE_URL: isImpatient ? impatientUrl(databaseUrl) : databaseUrl,
    SERVER_SECRET: randomBytes(32).toString('base64'),
    ...settings,
  })
  const logged: string[] = []
  const log = openLog('debug', { write: (line: string) => logged.push(line) })
  const relay = await startRelay({ config, log, checkAnswer, ...rest }).catch(async (error) => {
    await closeDatabase()
    throw error
  })
  const box = secretBox(config.SERVER_SECRET, systemRandom)

  async function addAccount(username = `user-${randomBytes(4).toString('hex')}`): Promise<TestAccount> {
    const password = randomBytes(12).toString('base64url')
    const id = await createAccount({ database, box, random: systemRandom }, { username, password })
    if (id === undefined) throw new Error(`account ${username} already exists`)
    return { id, username, password, basic: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
  }

  const account = await addAccount()
  const request: TestRelay['request'] = (method, path, call = {}) =>
    callUrl(method, relay.url + path, { auth: account.basic, ...call })
  return {
    url: relay.url,
    databaseUrl,
    database,
    account,
    addAccount,
    api: (method, path, call) => request(method, API + path, call),
    request,
    logged,
    async close() {
      await relay.close()
      await closeDatabase()
      const errors = logged.filter((line) => JSON.parse(line).level === 'error')
      if (errors.length > 0) throw new Error(`the relay logged errors:\n${errors.join('')}`)
    },
  }
}
