import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { useTestDatabase } from '../testing/test-database.ts'
import { isDatabaseUnavailable } from './connection/database-unavailable.ts'
import { connectDatabase, silenceLimitedSocket } from './database.ts'
import { Prisma } from './generated/client.ts'
import { rawTransaction } from './raw-statements.ts'
import { readRow } from './read-rows.ts'

const store = useTestDatabase({ connections: 1 })

async function planned(): Promise<number> {
  const [row] = await store.database.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_prepared_statements`
  return row?.count ?? 0
}

test('plans a statement once per connection, with any values', async () => {
  const ask = (value: number) => store.database.$queryRaw<{ value: number }[]>`SELECT ${value}::int AS value`
  expect(await ask(1)).toEqual([{ value: 1 }])
  const before = await planned()
  for (const value of [2, 3, 4]) expect(await ask(value)).toEqual([{ value }])
  expect(await planned()).toBe(before)
})

test('names a statement by its text, so that no other process gives the same name to another statement', async () => {
  // Uses one connection, because each connection has its own statements.
  const own = connectDatabase({ url: store.url, connections: 1 })
  try {
    await own.$queryRaw`SELECT ${1}::int AS prisma`
    await readRow(own, z.object({ raw: z.int() }), Prisma.sql`SELECT ${1}::int AS raw`)
    const named = await own.$queryRaw<{ name: string; statement: string }[]>`
      SELECT name, statement FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1::int AS %'`
    expect(named.map(({ statement }) => statement)).toEqual(
      expect.arrayContaining(['SELECT $1::int AS prisma', 'SELECT $1::int AS raw']),
    )
    for (const { name, statement } of named)
      expect(name).toBe(`s${createHash('sha256').update(statement).digest('hex').slice(0, 32)}`)
  } finally {
    await own.$disconnect()
  }
})

test('a client of a pooler sends statements without names, with and without Prisma, and in transactions', async () => {
  const pooled = connectDatabase({ url: store.url, connections: 1, isPooled: true })
  try {
    await pooled.account.findMany()
    await pooled.$transaction([pooled.account.count(), pooled.$queryRaw`SELECT ${1}::int AS value`])
    await readRow(pooled, z.object({ value: z.int() }), Prisma.sql`SELECT ${2}::int AS value`)
    await rawTransaction(pooled, async (statements) => {
      await statements.$queryRaw`SELECT ${3}::int AS value`
      await statements.$executeRaw`UPDATE accounts SET username = username WHERE id = ${'nobody'}`
    })
    // The pool has one connection, so this is the session of all statements above.
    expect(await pooled.$queryRaw`SELECT name, statement FROM pg_prepared_statements`).toEqual([])
  } finally {
    await pooled.$disconnect()
  }
})

test('statements that differ each time do not fill the memory of the server', async () => {
  for (let turn = 0; turn < 700; turn += 1) {
    expect(await store.database.$queryRawUnsafe(`SELECT ${turn} AS turn`)).toEqual([{ turn }])
  }
  expect(await planned()).toBeLessThanOrEqual(500)
})

test('detects a database that stops answering, also in a transaction, and does not delay the next request', async () => {
  const line = await silenceableLine(store.url)
  const sockets: Socket[] = []
  const socket = () => {
    const opened = silenceLimitedSocket()
    sockets.push(opened)
    return opened
  }
  const database = connectDatabase({ url: line.url, connections: 1, socket })
  /** Runs the statement while the line drops its data, and lets the time limit of the connection pass. */
  const askInSilence = async (ask: () => Promise<unknown>) => {
    const dropped = line.silence()
    const answer = ask()
    await Promise.race([dropped, answer])
    sockets.at(-1)?.setTimeout(1)
    await answer
  }
  const errors: unknown[] = []
  const note = (error: unknown) => errors.push(error)
  await database.$queryRaw`SELECT 1`
  // The server ends a statement after 30 s.
  expect(sockets.map(({ timeout }) => timeout)).toEqual([40_000])
  await askInSilence(() => database.$queryRaw`SELECT 1`).catch(note)
  line.speak()
  await database.$transaction((statements) => askInSilence(() => statements.$queryRaw`SELECT 1`)).catch(note)
  line.speak()
  expect(errors.map(isDatabaseUnavailable)).toEqual([true, true])
  expect(await database.$queryRaw`SELECT 1 AS answer`).toEqual([{ answer: 1 }])
  await database.$disconnect()
  line.close()
})

test('keeps an idle connection that is silent for longer than the limit', async () => {
  const sockets: Socket[] = []
  const socket = () => {
    const opened = silenceLimitedSocket()
    sockets.push(opened)
    return opened
  }
  const database = connectDatabase({ url: store.url, connections: 1, socket })
  const backend = () => readRow(database, z.object({ pid: z.int() }), Prisma.sql`SELECT pg_backend_pid() AS pid`)
  const { pid } = await backend()
  const [opened] = sockets
  if (opened === undefined) throw new Error('no connection was opened')
  const isSilent = once(opened, 'timeout')
  opened.setTimeout(1)
  await isSilent
  opened.setTimeout(40_000)
  expect((await backend()).pid).toBe(pid)
  expect(sockets).toHaveLength(1)
  await database.$disconnect()
})

test('a transaction may take longer than five seconds, the limit that Prisma sets', async () => {
  // Uses the limits of a relay, which are shorter than those of other tests.
  const database = connectDatabase({ url: store.url, connections: 1 })
  const slow = database.$transaction(async (statements) => {
    await statements.$queryRaw`SELECT pg_sleep(5.5)::text`
    return await statements.$queryRaw`SELECT 1 AS answer`
  })
  expect(await slow).toEqual([{ answer: 1 }])
  await database.$disconnect()
})

/**
 * Returns a connection that forwards data between a client and the server. While it is silent, it drops all data
 * without an error.
 */
async function silenceableLine(url: string) {
  const folder = new URL(url).searchParams.get('host')
  let isSilent = false
  let dropped = Promise.withResolvers<void>()
  const sockets: Socket[] = []
  const server = createServer((client) => {
    const upstream = folder
      ? connect(`${folder}/.s.PGSQL.5432`)
      : connect(Number(new URL(url).port), new URL(url).hostname)
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    sockets.push(client, upstream)
    const pass = (data: Buffer) => {
      if (isSilent) dropped.resolve()
      else upstream.write(data)
    }
    client.on('data', pass).on('close', () => upstream.destroy())
    upstream.on('data', (data) => isSilent || client.write(data)).on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.searchParams.delete('host')
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: through.href,
    /** Resolves when data of the client was dropped. */
    silence: () => {
      isSilent = true
      dropped = Promise.withResolvers<void>()
      return dropped.promise
    },
    speak: () => {
      isSilent = false
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
