import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '@smsgw/daemon/log/log'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readRelayConfig } from '../../config.ts'
import { checkAnswer } from '../../http/answer/check-answer.ts'
import { type Relay, startRelay } from '../../relay.ts'
import { type Called, callUrl } from '../../testing/call-url.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/embedded-postgres.ts'
import { isDatabaseDiskFull, isDatabaseUnavailable } from './database-unavailable.ts'

const AUTH = `Basic ${btoa('sms:tea at half past four')}`
const folder = mkdtempSync(join(tmpdir(), 'smsgw-away-'))
const logged: string[] = []

let postgres: EmbeddedPostgres
let relay: Relay

beforeAll(async () => {
  postgres = await startPostgres()
  const config = readRelayConfig({
    PORT: '0',
    DATABASE_URL: postgres.url,
    SERVER_SECRET: 'bG9vayBiZWhpbmQgdGhlIHdhdGVyZmFsbCBhdCBub29u',
    ADMIN_USERNAME: 'sms',
    ADMIN_PASSWORD: 'tea at half past four',
  })
  const log = openLog('debug', { write: (line: string) => logged.push(line) })
  relay = await startRelay({ config, log, checkAnswer })
})

afterAll(async () => {
  await relay.close()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('while the database is down under load, requests get 503 with Retry-After, /health/live passes, and the relay recovers', async () => {
  const load = startLoad()
  await vi.waitUntil(() => load.answers.length > 50, { timeout: 90_000 })
  process.kill(postgres.pid(), 'SIGQUIT')
  await postgres.stop()
  const stopped = load.answers.length
  await vi.waitUntil(() => load.answers.length > stopped + 50, { timeout: 90_000 })
  expect((await get('/health/live')).status).toBe(200)
  await vi.waitUntil(async () => (await get('/health/ready')).status === 503, { timeout: 90_000 })

  postgres = await startPostgres()
  await vi.waitUntil(async () => (await get('/health/ready')).status === 200, { timeout: 90_000 })
  const recovered = load.answers.length
  await vi.waitUntil(() => load.answers.length > recovered + 50, { timeout: 90_000 })
  await load.stop()

  expect(logged.filter((line) => JSON.parse(line).level === 'error')).toEqual([])
  expect(new Set(load.answers.map(({ status }) => status))).toEqual(new Set([200, 503]))
  expect(load.answers.slice(recovered + 10).every(({ status }) => status === 200)).toBe(true)
  for (const answer of load.answers.filter(({ status }) => status === 503))
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
})

test.each([
  [new Error('Connection terminated unexpectedly'), true],
  [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), true],
  [Object.assign(new Error('shutting down'), { code: '57P01' }), true],
  [adapterError('P2010', { originalCode: '57P03' }), true],
  [adapterError('P2039', { originalCode: '53100' }), true],
  [adapterError('P2010', { kind: 'DatabaseNotReachable' }), true],
  [new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'ECONNRESET' }) }), true],
  [new Error('bare', { cause: { originalCode: '57P01', kind: 'postgres' } }), true],
  [new Error('bare', { cause: { kind: 'ConnectionClosed' } }), true],
  [new Error('bare', { cause: { originalCode: '42601', kind: 'postgres' } }), false],
  [adapterError('P2002', { originalCode: '23505', kind: 'UniqueConstraintViolation' }), false],
  [adapterError('P2010', { originalCode: '42601' }), false],
  [new TypeError('x is not a function'), false],
  ['ECONNREFUSED', false],
])('recognises errors after which a request may succeed later: %s', (error, isUnavailable) => {
  expect(isDatabaseUnavailable(error)).toBe(isUnavailable)
})

test.each([
  [Object.assign(new Error('could not extend file'), { code: '53100' }), true],
  [adapterError('P2039', { originalCode: '53100' }), true],
  [new Error('bare', { cause: { originalCode: '53100', kind: 'postgres' } }), true],
  [new Error('outer', { cause: Object.assign(new Error('inner'), { code: '53100' }) }), true],
  [adapterError('P2010', { originalCode: '57P03' }), false],
  [new Error('no space left on device'), false],
])('recognises that the disk of the database is full: %s', (error, isFull) => {
  expect(isDatabaseDiskFull(error)).toBe(isFull)
})

test('recognises a query that exceeded the time limit of the driver', async () => {
  const client = new Client({ connectionString: postgres.url, query_timeout: 50 })
  await client.connect()
  const error = await client.query('SELECT pg_sleep(60)').catch((failure: unknown) => failure)
  await client.end()
  expect(isDatabaseUnavailable(error)).toBe(true)
})

function adapterError(code: string, cause: object): Error {
  return Object.assign(new Error(code), { code, meta: { driverAdapterError: { cause } } })
}

function startPostgres(): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ folder: join(folder, 'database'), durable: false, report: () => undefined })
}

function get(path: string): Promise<Called> {
  return callUrl('GET', relay.url + path, {})
}

/** Sends requests that read and write, eight at a time, until they are stopped. */
function startLoad() {
  const answers: Called[] = []
  let isStopped = false
  const api = `${relay.url}/3rdparty/v1`
  const loops = Array.from({ length: 8 }, async (_, index) => {
    while (!isStopped) {
      answers.push(
        index % 2 === 0
          ? await callUrl('GET', `${api}/messages`, { auth: AUTH })
          : await callUrl('PATCH', `${api}/settings`, {
              auth: AUTH,
              body: { messages: { send_interval_max: index } },
            }),
      )
    }
  })
  return {
    answers,
    async stop() {
      isStopped = true
      await Promise.all(loops)
    },
  }
}
