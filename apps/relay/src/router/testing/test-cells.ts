import { randomBytes } from 'node:crypto'
import { openLog } from '@smsgw/daemon/log/log'
import type { Pool } from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { systemClock } from '../../clock.ts'
import { systemRandom } from '../../random.ts'
import { type SecretBox, secretBox } from '../../store/secret-box.ts'
import { type Called, callUrl, type TestCallOptions } from '../../testing/call-url.ts'
import { emptyDatabase } from '../../testing/test-database.ts'
import { type TestAccount, type TestRelay, testRelay } from '../../testing/test-relay.ts'
import { addCell } from '../cells/add-cell.ts'
import { type Cell, readCells } from '../directory/directory.ts'
import { prepareDirectory } from '../directory/directory-schema.ts'
import { openPool } from '../directory/open-pool.ts'
import { type Router, startRouter } from '../start-router.ts'

export interface TestCells {
  /** The relays of the cells `one` and `two`. */
  readonly relays: readonly [TestRelay, TestRelay]
  readonly directory: Pool
  readonly box: SecretBox
  readonly router: Router
  readonly logged: readonly string[]
  cells(): Promise<Cell[]>
  /** Calls the API through the router. */
  api(method: string, path: string, options?: TestCallOptions): Promise<Called>
  request(method: string, path: string, options?: TestCallOptions): Promise<Called>
  addRouter(): Promise<Router>
  /** Returns the dependencies of a command. */
  deps(): Promise<MoveTestDeps>
  close(): Promise<void>
}

type MoveTestDeps = Pick<TestCells, 'directory' | 'box'> & {
  readonly cells: readonly Cell[]
  readonly clock: typeof systemClock
  readonly random: typeof systemRandom
  readonly longestTokenSeconds: number
  readonly withoutRouters: readonly string[]
}

/** Starts the cells for the tests of a file, and stops them afterwards. */
export function useTestCells(): TestCells {
  const world = {} as TestCells
  beforeAll(async () => {
    Object.assign(world, await testCells())
  })
  afterAll(() => world.close())
  return world
}

/** Starts two relays with a database each, a directory, and a router, all in this process. */
export async function testCells(): Promise<TestCells> {
  const secret = randomBytes(32).toString('base64')
  const settings = {
    ...{ SERVER_SECRET: secret, PUBLIC_URL: 'https://sms.example.org', TRUSTED_PROXIES: '127.0.0.0/8' },
    ...{ WEBHOOK_ALLOW_HTTP: '1', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' },
  }
  const box = secretBox(secret, systemRandom)
  const relays = [await testRelay({ settings }), await testRelay({ settings })] as const
  const database = await emptyDatabase()
  const { url: directoryUrl } = database
  const directory = openPool({ url: directoryUrl, connections: 2, name: 'test', statementTimeoutMs: 30_000 })
  await prepareDirectory(directory)
  for (const [at, id] of ['one', 'two'].entries()) {
    const relay = relays[at]
    if (relay === undefined) continue
    const cell = { id, databaseUrl: relay.databaseUrl, relays: [relay.url], isOpen: true }
    await addCell({ directory, cells: await readCells(directory, box), box }, cell)
  }
  const logged: string[] = []
  const log = openLog('debug', { write: (line: string) => logged.push(line) })
  const config = {
    ...{ directoryUrl, PORT: 0, HOST: '127.0.0.1', TLS_CERT: undefined, TLS_KEY: undefined },
    ...{ TRUSTED_PROXIES: [], SERVER_SECRET: secret, DRAIN_SECONDS: 0 },
  }
  const routers = [await startRouter(config, log)]
  const [router] = routers
  if (router === undefined) throw new Error('no router was started')
  const request: TestCells['request'] = (method, path, options = {}) => callUrl(method, router.url + path, options)
  return {
    ...{ relays, directory, box, router, logged, request },
    cells: () => readCells(directory, box),
    api: (method, path, options) => request(method, `/3rdparty/v1${path}`, options),
    async addRouter() {
      const another = await startRouter(config, log)
      routers.push(another)
      return another
    },
    async deps() {
      const cells = await readCells(directory, box)
      const rest = { longestTokenSeconds: 86_400, withoutRouters: [] }
      return { directory, box, cells, clock: systemClock, random: systemRandom, ...rest }
    },
    async close() {
      for (const one of routers) await one.close()
      await directory.end()
      for (const relay of relays) await relay.close()
      await database.close()
      const errors = logged.filter((line) => JSON.parse(line).level === 'error')
      if (errors.length > 0) throw new Error(`the router logged errors:\n${errors.join('')}`)
    },
  }
}

/** Returns the options of one call for each way in which a client can send the credentials of an account. */
export async function callsWithCredentials(relay: TestRelay, account: TestAccount) {
  const call = (path: string, body?: object) => relay.api('POST', path, { auth: account.basic, ...(body && { body }) })
  const scopes = ['devices:list', 'messages:list']
  const { json: key } = await call('/keys', { name: 'program', scopes })
  const { json: token } = await call('/auth/token', { scopes, ttl: 600 })
  const session = await relay.api('POST', '/session', {
    auth: null,
    body: { username: account.username, password: account.password },
  })
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
  return {
    password: { auth: account.basic },
    'API key': { auth: `Bearer ${key.key}` },
    'API key in X-API-Key': { auth: null, headers: { 'x-api-key': key.key } },
    'API key as password': { auth: `Basic ${Buffer.from(`any:${key.key}`).toString('base64')}` },
    token: { auth: `Bearer ${token.access_token}` },
    session: { auth: null, headers: { cookie } },
  }
}
