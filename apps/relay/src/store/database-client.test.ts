// Two servers, of which one accepts writes. A role decides which one: it may change while connections stay open, as when a primary
// is cut off and a standby takes over.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase } from './database.ts'
import { databaseClient } from './database-client.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded-postgres.ts'
import { waitForDatabase } from './wait-for-database.ts'

const folder = mkdtempSync(join(tmpdir(), 'smsgw-servers-'))
const servers: EmbeddedPostgres[] = []
const proxies: Server[] = []
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

beforeEach(() => acceptsWrites(1))

const urlOf = (at: number) => servers[at]?.url ?? ''
const portNumber = (proxy: Server) => (proxy.address() as AddressInfo).port

/** The embedded server has no port. Returns a server that forwards a port to its socket. */
async function portOf(server: EmbeddedPostgres): Promise<Server> {
  const path = join(new URL(server.url).searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const proxy = createServer((socket) => {
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

/** From now on, new sessions can write on this server alone. */
async function acceptsWrites(at: number | undefined): Promise<void> {
  for (const [index] of servers.entries()) {
    const client = new Client({ connectionString: urlOf(index) })
    await client.connect()
    await client.query(`SET default_transaction_read_only = off`)
    await client.query(`ALTER DATABASE smsgw SET default_transaction_read_only = ${index === at ? 'off' : 'on'}`)
    await client.end()
  }
}

async function serverOf(client: Client): Promise<number> {
  await client.connect()
  const { rows } = await client.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`)
  return ['one', 'other'].findIndex((name) => rows[0]?.folder.endsWith(`/${name}`))
}

test('connects to the server that accepts writes', async () => {
  for (const at of [1, 0]) {
    await acceptsWrites(at)
    const client = databaseClient({ url })
    expect(await serverOf(client)).toBe(at)
    await client.end()
  }
})

test('closes connections to a server that was replaced, and the pool uses the new server', async () => {
  const database = openDatabase({ url, connections: 2 })
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

test('waits while no server accepts writes, and says why for each server', async () => {
  await acceptsWrites(undefined)
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
  await acceptsWrites(undefined)
  const client = databaseClient({ url: `${url}?target_session_attrs=any` })
  expect(await serverOf(client)).toBeGreaterThanOrEqual(0)
  await client.end()
  const wrong = url.replace(/smsgw$/, 'missing')
  const options = { waitMs: 60_000, report: () => undefined }
  await expect(waitForDatabase(wrong, options)).rejects.toThrow(
    'database "missing" does not exist. Correct DATABASE_URL',
  )
})
