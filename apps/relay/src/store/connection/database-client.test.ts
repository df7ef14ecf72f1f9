// Two servers, of which one accepts writes. The settings of a role decide which server this is. They may change while
// connections stay open, as when a primary is cut off and a standby takes over.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { connectDatabase, silenceLimitedSocket } from '../database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/embedded-postgres.ts'
import { databaseClient } from './database-client.ts'
import { waitForDatabase } from './wait-for-database.ts'

const folder = mkdtempSync(join(tmpdir(), 'smsgw-servers-'))
const servers: EmbeddedPostgres[] = []
const proxies: Server[] = []
/** Connections to these proxies wait for the promise before they reach the server. */
const delays = new Map<Server | undefined, Promise<unknown>>()
/** These proxies close new connections and keep open ones. */
const refusing = new Set<Server | undefined>()
let url: string

beforeAll(async () => {
  for (const name of ['one', 'other']) {
    const server = await startEmbeddedPostgres({ folder: join(folder, name), report: () => undefined, durable: false })
    servers.push(server)
    proxies.push(await portOf(server))
  }
  url = `postgresql://${new URL(urlOf(0)).username}@${proxies.map((proxy) => `127.0.0.1:${portNumber(proxy)}`)}/smsgw`
})
afterAll(async () => {
  for (const proxy of proxies) proxy.close()
  for (const server of servers) await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  delays.clear()
  refusing.clear()
  await acceptsWrites(1)
})

const urlOf = (at: number) => servers[at]?.url ?? ''
const portNumber = (proxy: Server) => (proxy.address() as AddressInfo).port

/** The embedded server has no port. Returns a server that forwards a port to its socket. */
async function portOf(server: EmbeddedPostgres): Promise<Server> {
  const path = join(new URL(server.url).searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const proxy = createServer(async (socket) => {
    socket.on('error', () => undefined)
    if (refusing.has(proxy)) return socket.destroy()
    await delays.get(proxy)
    const database = connect(path)
    socket.pipe(database).pipe(socket)
    for (const [end, other] of [
      [socket, database],
      [database, socket],
    ] as const) {
      end.on('error', () => other.destroy())
      end.on('close', () => other.destroy())
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return proxy
}

/**
 * Delays the answer of the slow server until the client has read the answer of the fast server and has closed its
 * connection to the fast server.
 */
function answersAfter(slow: number, fast: number): void {
  const other = proxies[fast]
  if (other === undefined) throw new Error(`no server ${fast}`)
  delays.set(
    proxies[slow],
    once(other, 'connection').then(([socket]: Socket[]) => socket && once(socket, 'close')),
  )
}

/** Returns a unique URL for the servers, because all clients of one URL share what they know about its servers. */
const freshUrl = (parameters = '') => `${url}?application_name=${randomUUID()}${parameters}`

/** From now on, new sessions can write only on these servers. */
async function acceptsWrites(...ats: readonly number[]): Promise<void> {
  for (const [index] of servers.entries()) {
    const client = new Client({ connectionString: urlOf(index) })
    await client.connect()
    await client.query(`SET default_transaction_read_only = off`)
    await client.query(`ALTER DATABASE smsgw SET default_transaction_read_only = ${ats.includes(index) ? 'off' : 'on'}`)
    await client.end()
  }
}

async function serverOf(client: Client): Promise<number> {
  await client.connect()
  const { rows } = await client.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`)
  return ['one', 'other'].findIndex((name) => rows[0]?.folder.endsWith(`/${name}`))
}

test('a client that loses its connection between two queries fails the next query, and does not end the process', async () => {
  const client = databaseClient({ url: urlOf(0) })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  const other = databaseClient({ url: urlOf(0) })
  await other.connect()
  await other.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
  await other.end()
  await ended
  await expect(client.query('SELECT 1')).rejects.toThrow()
})

test('connects to the server that accepts writes', async () => {
  for (const at of [1, 0]) {
    await acceptsWrites(at)
    const client = databaseClient({ url })
    expect(await serverOf(client)).toBe(at)
    await client.end()
  }
})

// These two tests are repeated until they pass, because on a busy machine the slow server may exceed the time limit of
// a probe.
test('uses the first listed server that accepts writes, not the fastest', async () => {
  await acceptsWrites(0, 1)
  const chosen = async () => {
    answersAfter(0, 1)
    const client = databaseClient({ url: freshUrl() })
    return await serverOf(client).finally(() => client.end())
  }
  await expect.poll(chosen).toBe(0)
})

test('keeps the present server and its connections while it accepts writes, although another claims to', async () => {
  const chosen = async () => {
    delays.clear()
    await acceptsWrites(1)
    const servers = freshUrl()
    const [early, late] = [databaseClient({ url: servers }), databaseClient({ url: servers })]
    early.on('error', () => undefined) // reported by the query
    const first = await serverOf(early)
    await acceptsWrites(0, 1)
    answersAfter(1, 0)
    const second = await serverOf(late)
    const query = early.query('SELECT 1').then(() => 'open', String)
    const result = { first, second, early: await query }
    for (const client of [early, late]) await client.end()
    return result
  }
  await expect.poll(chosen).toEqual({ first: 1, second: 1, early: 'open' })
})

test('closes no connection to another server with target_session_attrs=any', async () => {
  const servers = freshUrl('&target_session_attrs=any')
  const [early, late] = [databaseClient({ url: servers }), databaseClient({ url: servers })]
  expect(await serverOf(early)).toBe(0)
  refusing.add(proxies[0])
  expect(await serverOf(late)).toBe(1)
  expect((await early.query('SELECT 1 AS answer')).rows).toEqual([{ answer: 1 }])
  for (const client of [early, late]) await client.end()
})

test('closes connections to a server that was replaced, and the pool uses the new server', async () => {
  const database = connectDatabase({ url, connections: 2 })
  const folderOf = async () => {
    const rows = await database.$queryRaw<{ folder: string }[]>`SELECT current_setting('data_directory') AS folder`
    return rows[0]?.folder.split('/').at(-1)
  }
  try {
    expect(await folderOf()).toBe('other')
    await acceptsWrites(0)
    // The open connection still works, as with a server that was cut off from the other servers only.
    expect(await folderOf()).toBe('other')
    const client = databaseClient({ url })
    expect(await serverOf(client)).toBe(0)
    await client.end()
    await expect.poll(() => folderOf().catch(String)).toBe('one')
  } finally {
    await database.$disconnect()
  }
})

test('a socket that is never connected, because no server was found, has no time limit that could end the process', async () => {
  await acceptsWrites()
  const sockets: Socket[] = []
  const socket = () => {
    const opened = silenceLimitedSocket()
    sockets.push(opened)
    return opened
  }
  const database = connectDatabase({ url: freshUrl(), connections: 1, socket })
  await expect(database.$queryRaw`SELECT 1`).rejects.toThrow('the server accepts no writes')
  await acceptsWrites(0)
  await database.$queryRaw`SELECT 1`
  expect(sockets.map(({ timeout }) => timeout)).toEqual([undefined, 40_000])
  await database.$disconnect()
})

test('waits while no server accepts writes, and says why for each server', async () => {
  await acceptsWrites()
  const lines: string[] = []
  const waiting = waitForDatabase(url, {
    waitMs: 60_000,
    report(line) {
      lines.push(line)
      void acceptsWrites(0)
    },
  })
  await waiting
  const [one, other] = proxies.map((proxy) => `127.0.0.1:${portNumber(proxy)}`)
  expect(lines).toEqual([
    expect.stringContaining(`${one}: the server accepts no writes; ${other}: the server accepts no writes`),
  ])
})

test('uses any server with target_session_attrs=any, and refuses a wrong database at once', async () => {
  await acceptsWrites()
  const client = databaseClient({ url: `${url}?target_session_attrs=any` })
  expect(await serverOf(client)).toBeGreaterThanOrEqual(0)
  await client.end()
  const wrong = url.replace(/smsgw$/, 'missing')
  const options = { waitMs: 60_000, report: () => undefined }
  await expect(waitForDatabase(wrong, options)).rejects.toThrow(
    'database "missing" does not exist. Correct DATABASE_URL',
  )
})
