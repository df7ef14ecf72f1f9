import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { useTestDatabase } from '../testing/test-database.ts'
import { openDatabase } from './database.ts'
import { isDatabaseUnavailable } from './database-unavailable.ts'

const store = useTestDatabase({ connections: 1 })

async function planned(): Promise<number> {
  const [row] = await store.database.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_prepared_statements`
  return row?.count ?? 0
}

test('plans a statement once per connection, whatever its values', async () => {
  const ask = (value: number) => store.database.$queryRaw<{ value: number }[]>`SELECT ${value}::int AS value`
  expect(await ask(1)).toEqual([{ value: 1 }])
  const before = await planned()
  for (const value of [2, 3, 4]) expect(await ask(value)).toEqual([{ value }])
  expect(await planned()).toBe(before)
})

test('statements that differ each time do not fill the memory of the server', async () => {
  for (let turn = 0; turn < 700; turn += 1) {
    expect(await store.database.$queryRawUnsafe(`SELECT ${turn} AS turn`)).toEqual([{ turn }])
  }
  expect(await planned()).toBeLessThanOrEqual(500)
})

test('notices a database that stops answering, also in a transaction, and does not delay the next request', async () => {
  const line = await silenceableLine(store.url)
  const database = openDatabase({ url: line.url, connections: 1, silenceMs: 200 })
  const errors: unknown[] = []
  const note = (error: unknown) => errors.push(error)
  await database.$queryRaw`SELECT 1`
  line.silence()
  await database.$queryRaw`SELECT 1`.catch(note)
  line.speak()
  await database
    .$transaction(async (statements) => {
      line.silence()
      await statements.$queryRaw`SELECT 1`
    })
    .catch(note)
  line.speak()
  expect(errors.map(isDatabaseUnavailable)).toEqual([true, true])
  expect(await database.$queryRaw`SELECT 1 AS answer`).toEqual([{ answer: 1 }])
  await database.$disconnect()
  line.close()
})

/** Forwards data between a client and the server. While silent, it drops all data without an error. */
async function silenceableLine(url: string) {
  const folder = new URL(url).searchParams.get('host')
  let isSilent = false
  const sockets: Socket[] = []
  const server = createServer((client) => {
    const upstream = folder
      ? connect(`${folder}/.s.PGSQL.5432`)
      : connect(Number(new URL(url).port), new URL(url).hostname)
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    sockets.push(client, upstream)
    client.on('data', (data) => isSilent || upstream.write(data)).on('close', () => upstream.destroy())
    upstream.on('data', (data) => isSilent || client.write(data)).on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.searchParams.delete('host')
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: through.href,
    silence: () => {
      isSilent = true
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
