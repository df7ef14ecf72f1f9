import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { findBinaries } from './binaries.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import { ordinaryUser } from './ordinary-user.ts'

/** The data folder is created once for all tests, because creating it takes most of a test's time. */
const made = mkdtempSync(join(tmpdir(), 'smsgw-embedded-made-'))

let root: string
let folder: string
const running: EmbeddedPostgres[] = []
const said: string[] = []

beforeAll(async () => {
  const postgres = await startEmbeddedPostgres({ folder: join(made, 'database'), durable: false, report: () => 0 })
  await postgres.stop()
})

afterAll(() => rmSync(made, { recursive: true, force: true }))

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'smsgw-embedded-'))
  folder = join(root, 'database')
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((postgres) => postgres.stop()))
  rmSync(root, { recursive: true, force: true })
  said.length = 0
  vi.unstubAllEnvs()
})

test('creates a database if there is none, and keeps its rows across a clean stop', async () => {
  const first = await start()
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
  await first.stop()
  expect(existsSync(join(folder, 'postmaster.pid'))).toBe(false)
  const second = await start()
  expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
})

test('writes durably, listens on no port, and admits only its owner', async () => {
  copyMade()
  const { url } = await start({ durable: true })
  const settings = ['fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses', 'unix_socket_permissions']
  const rows = await query(url, `SELECT ${settings.map((name) => `current_setting('${name}') AS ${name}`)}`)
  expect(rows).toEqual([
    {
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      listen_addresses: '',
      unix_socket_permissions: '0700',
    },
  ])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test("PostgreSQL and its helper processes receive none of the relay's secrets", async () => {
  vi.stubEnv('SERVER_SECRET', 'only-for-the-relay')
  copyMade()
  const postgres = await start()
  const rows = await query(postgres.url, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
  const environments = [postgres.pid(), ...rows.map((row) => (row as { pid: number }).pid)].map((pid) =>
    readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0'),
  )
  expect(environments.length).toBeGreaterThan(3)
  const names = environments.flat().map((pair) => pair.split('=')[0] ?? '')
  const allowed = ['', 'PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH', 'LC_ALL', 'PGDATA', 'PG_GRANDPARENT_PID']
  expect(names.filter((name) => !allowed.includes(name))).toEqual([])
})

test('stops with the process that started it, and a new start 100 ms later finds every row', async () => {
  copyMade()
  const code = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(join(import.meta.dirname, 'embedded-postgres.ts'))})
    const { url } = await startEmbeddedPostgres({ folder: ${JSON.stringify(folder)}, report: () => 0 })
    console.log(url)
    setInterval(() => 0, 1000)
  `
  const owner = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = await once(createInterface({ input: owner.stdout }), 'line')
  await query(url, 'CREATE TABLE kept AS SELECT 42 AS answer')
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  await new Promise((resolve) => setTimeout(resolve, 100))
  const next = await start()
  expect(await query(next.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
})

test('stops a server that still runs after its parent has ended, before it starts another', async () => {
  copyMade()
  const { postgres } = findBinaries()
  const [file = '', ...args] = [
    ...ordinaryUser(postgres, folder).prefix,
    postgres,
    '-D',
    folder,
    '-k',
    folder,
    '-h',
    '',
  ]
  chmodSync(folder, 0o700)
  const log = join(root, 'orphan.log')
  const orphan = spawn(file, args, { stdio: ['ignore', 'ignore', openSync(log, 'w')] })
  const ended = once(orphan, 'exit')
  await vi.waitUntil(() => readFileSync(log, 'utf8').includes('ready to accept connections'), { timeout: 90_000 })
  const { url } = await start()
  expect(await ended).toEqual([0, null])
  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('neither waits for nor kills another program whose process has the id of a dead server', async () => {
  copyMade()
  await (await start()).stop()
  const stranger = spawn('sleep', ['60'])
  const file = join(folder, 'postmaster.pid')
  writeFileSync(file, `${stranger.pid}\n${folder}\n`)
  const { url } = await start()
  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull()
  stranger.kill()
})

test('restarts the server when it dies, and keeps all committed rows', async () => {
  copyMade()
  const postgres = await start({ durable: true })
  await query(postgres.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
  const pid = postgres.pid()
  process.kill(pid, 'SIGKILL')
  await vi.waitUntil(() => postgres.pid() !== pid, { timeout: 90_000 })
  expect(await query(postgres.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
})

test('repeats an interrupted initialisation', async () => {
  mkdirSync(`${folder}.unfinished`)
  writeFileSync(join(`${folder}.unfinished`, 'PG_VERSION'), '18\n')
  const { url } = await start()
  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('works in a folder whose path is too long for a socket', async () => {
  folder = join(root, 'long'.repeat(30), 'database')
  const { url, stop } = await start()
  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  const socketFolder = new URL(url).searchParams.get('host') ?? ''
  expect(statSync(socketFolder).mode & 0o777).toBe(0o700)
  await stop()
  expect(existsSync(socketFolder)).toBe(false)
})

test('works without user namespaces, with a new database and with a database that was created in a namespace', async () => {
  const commands = join(root, 'commands')
  mkdirSync(commands)
  writeFileSync(join(commands, 'unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  vi.stubEnv('PATH', `${commands}:${process.env['PATH']}`)
  for (const prepare of [copyMade, () => rmSync(folder, { recursive: true })]) {
    prepare()
    const { url, stop } = await start()
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await stop()
  }
  vi.unstubAllEnvs()
  const { url } = await start()
  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('reports a failed statement without its text', async () => {
  copyMade()
  const { url } = await start()
  await expect(query(url, `SELECT 'a secret text'::int`)).rejects.toThrow()
  await query(url, 'CREATE TABLE one (text text UNIQUE)')
  await query(url, `INSERT INTO one VALUES ('a secret text')`)
  await expect(query(url, `INSERT INTO one VALUES ('a secret text')`)).rejects.toThrow()
  await running.splice(0)[0]?.stop()
  expect(said.join('\n')).not.toContain('secret')
})

test('refuses a database of another major version and says what to do', async () => {
  mkdirSync(folder)
  writeFileSync(join(folder, 'PG_VERSION'), '15\n')
  await expect(start()).rejects.toThrow(/was created by PostgreSQL 15, and PostgreSQL 18 cannot read it/)
})

test('reports one clear error for a folder that cannot be created', async () => {
  writeFileSync(join(root, 'file'), '')
  folder = join(root, 'file', 'database')
  await expect(start()).rejects.toThrow(/cannot be created in .*Set DATA_DIR to a writable folder/)
})

test('restricts a database folder that everybody can read after a restore', async () => {
  copyMade()
  chmodSync(folder, 0o755)
  await start()
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('reports the error of PostgreSQL about a damaged database', async () => {
  copyMade()
  await (await start()).stop()
  writeFileSync(join(folder, 'global/pg_control'), 'garbage')
  await expect(start()).rejects.toThrow(/the embedded PostgreSQL did not start: .*/)
})

function copyMade(): void {
  cpSync(join(made, 'database'), folder, { recursive: true })
}

async function start({ durable = false } = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ folder, durable, report: (line) => said.push(line) })
  running.push(postgres)
  return postgres
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
