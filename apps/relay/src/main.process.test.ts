import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '@smsgw/daemon/testing/free-port'
import { VERSION } from '@smsgw/daemon/version'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { callUrl } from './testing/call-url.ts'
import { databaseUrl } from './testing/database-url.ts'
import { MAIN, startRelayProcess, type TestRelayProcess } from './testing/relay-process.ts'
import { emptyDatabase, type TestDatabase } from './testing/test-database.ts'

const SECRET = 'bG9vayBiZWhpbmQgdGhlIHdhdGVyZmFsbCBhdCBub29u'
const ADMIN = { ADMIN_USERNAME: 'sms', ADMIN_PASSWORD: 'tea at half past four' }
const BASIC = `Basic ${btoa(`${ADMIN.ADMIN_USERNAME}:${ADMIN.ADMIN_PASSWORD}`)}`

let empty: TestDatabase
let settings: Record<string, string>
const running: TestRelayProcess[] = []

beforeEach(async () => {
  empty = await emptyDatabase()
  settings = { DATABASE_URL: empty.url, SERVER_SECRET: SECRET, ...ADMIN }
})

afterEach(async () => {
  for (const relay of running.splice(0)) {
    relay.kill('SIGKILL')
    await relay.ended
  }
  await empty.close()
})

test('serves requests, and exits with 0 at SIGTERM', async () => {
  const relay = await start()
  expect((await callUrl('GET', `${relay.url}/3rdparty/v1/messages`, { auth: BASIC })).status).toBe(200)
  relay.kill('SIGTERM')
  expect(await relay.ended).toEqual({ code: 0, signal: null })
})

test('serves requests while it drains, live but not ready; a second signal ends the process unless it arrives at the same time as the first', async () => {
  const relay = await start({ DRAIN_SECONDS: '60' })
  relay.kill('SIGTERM')
  relay.kill('SIGTERM')
  await vi.waitUntil(async () => (await get(relay, '/health/ready')).status === 503, { timeout: 90_000 })
  expect((await get(relay, '/health/live')).status).toBe(200)
  expect((await callUrl('GET', `${relay.url}/3rdparty/v1/messages`, { auth: BASIC })).status).toBe(200)
  const impatience = setInterval(() => relay.kill('SIGTERM'), 50)
  expect(await relay.ended).toEqual({ code: 143, signal: null })
  clearInterval(impatience)
})

test('exits with 0 even when the database is unavailable', async () => {
  const relay = await start()
  const name = new URL(empty.url).pathname.slice(1)
  const other = databaseUrl(empty.url, 'postgres')
  await query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`, other)
  await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`, other)
  await vi.waitUntil(async () => (await get(relay, '/health/ready')).status === 503, { timeout: 90_000 })
  relay.kill('SIGTERM')
  expect(await relay.ended).toEqual({ code: 0, signal: null })
})

test('four relays that start at once on an empty database create one key and one account, and all serve', async () => {
  const relays = await Promise.all([start(), start(), start(), start()])
  for (const { url } of relays)
    expect((await callUrl('GET', `${url}/3rdparty/v1/messages`, { auth: BASIC })).status).toBe(200)
  expect(await count('accounts')).toBe(1)
  expect(await count('signing_keys')).toBe(1)
  expect(await count('installation')).toBe(1)
})

test('refuses a secret that does not match the database, with one line', async () => {
  const relay = await start()
  relay.kill('SIGTERM')
  await relay.ended
  expect(await failedStart({ SERVER_SECRET: `${SECRET}x` })).toBe(
    'relay: SERVER_SECRET is not the secret with which this database was created, so its keys cannot be decrypted: set the original secret\n',
  )
})

test('waits for a database that does not answer, then reports its address', async () => {
  const lines = await failedStart({
    DATABASE_URL: 'postgresql://sms:hunter2@127.0.0.1:1/smsgw',
    DATABASE_WAIT_SECONDS: '1',
  })
  expect(lines).toMatch(
    /^relay: PostgreSQL at 127\.0\.0\.1:1\/smsgw \(user sms\) does not answer \(connect ECONNREFUSED .*\)\. The relay tried \d+ times in 1 s: start PostgreSQL, or correct DATABASE_URL\n$/,
  )
})

test('refuses a missing database, and a database of another program, at once', async () => {
  const gone = new URL(empty.url)
  gone.pathname = '/gone'
  expect(await failedStart({ DATABASE_URL: gone.href })).toMatch(
    /refuses the connection: database "gone" does not exist/,
  )
  await query('CREATE TABLE customers (id int)')
  expect(await failedStart()).toMatch(/^relay: the database \S+ contains other data \(table customers\)/)
})

test('migrate creates the tables of an empty database, and changes nothing the second time', async () => {
  for (const _ of [1, 2])
    expect(await run(['migrate'])).toEqual({ code: 0, stdout: 'the database is up to date\n', stderr: '' })
  expect(await count('"_prisma_migrations"')).toBeGreaterThan(5)
  expect(await count('accounts')).toBe(0)
  await query('CREATE TABLE customers (id int)')
  await query('DROP TABLE "_prisma_migrations"')
  expect(await run(['migrate'])).toMatchObject({ code: 1, stderr: expect.stringContaining('contains other data') })
})

test('reports a port that is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as { port: number }
  expect(await failedStart({ PORT: String(port) })).toMatch(
    /^relay: port \d+ of 127\.0\.0\.1 is in use by another program: .* or set PORT to another port/,
  )
  expect(await failedStart({ METRICS_PORT: String(port) })).toMatch(
    /^relay: port \d+ of 127\.0\.0\.1 is in use by another program: .* or set METRICS_PORT to another port/,
  )
  other.close()
})

test('reports an address that this machine does not have', async () => {
  expect(await failedStart({ HOST: 'relay.invalid' })).toBe(
    'relay: this machine does not have the address relay.invalid: set HOST to one of its addresses, or to 0.0.0.0\n',
  )
})

test('a missing secret, an invalid value and an unknown command each get one line', async () => {
  expect(await failedStart({ SERVER_SECRET: '' })).toMatch(/^relay: SERVER_SECRET must be set; for example .*\n$/)
  expect(await failedStart({ PORT: 'x' })).toMatch(/^relay: PORT must be a whole number; for example PORT=3000\n$/)
  expect(await run(['frobnicate'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^relay: unknown command "frobnicate"; use accounts, .*, --help\n$/),
  })
  expect(await run(['--prot', '3000'])).toMatchObject({
    code: 2,
    stderr: 'relay: unknown option --prot; did you mean --port?\n',
  })
})

test('prints the help without any settings', async () => {
  settings = {}
  const { code, stdout } = await run(['--help'])
  expect(code).toBe(0)
  expect(stdout).toContain('accounts add <user>')
  expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${VERSION}\n` })
})

test('with an embedded database, refuses a second relay, runs commands while serving, and loses nothing after kill -9', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-main-'))
  const embedded = { DATABASE_URL: '', DATA_DIR: folder, PORT: String(await freePort()) }
  const first = await start(embedded)
  expect(await failedStart(embedded)).toBe(
    `relay: ${folder} is in use by process ${first.pid}: stop that process, or set DATA_DIR to another folder\n`,
  )
  const added = await run(['accounts', 'add', 'second', '--password-stdin'], embedded, 'a long walk home')
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('account second created') })
  first.kill('SIGKILL')
  await first.ended
  const next = await start(embedded)
  const auth = `Basic ${btoa('second:a long walk home')}`
  expect((await callUrl('GET', `${next.url}/3rdparty/v1/messages`, { auth })).status).toBe(200)
  next.kill('SIGTERM')
  expect(await next.ended).toEqual({ code: 0, signal: null })
  rmSync(folder, { recursive: true, force: true })
})

async function start(more: Record<string, string> = {}): Promise<TestRelayProcess> {
  const relay = await startRelayProcess({ ...settings, ...more })
  running.push(relay)
  return relay
}

function get({ url }: TestRelayProcess, path: string) {
  return callUrl('GET', url + path, {})
}

/** Returns the standard error of a start that ends with exit code 1. */
async function failedStart(more: Record<string, string> = {}): Promise<string> {
  const { code, stderr } = await run([], more)
  expect(code).toBe(1)
  return stderr
}

async function run(args: string[], more: Record<string, string> = {}, input = '') {
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    PORT: '0',
    ...settings,
    ...more,
  }
  const child = spawn(process.execPath, [MAIN, ...args], { env })
  child.stdin.end(input)
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ])
  return { stdout, stderr, code }
}

async function count(table: string): Promise<number> {
  return Number((await query(`SELECT count(*) FROM ${table}`))[0]?.['count'])
}

async function query(sql: string, url = empty.url): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
