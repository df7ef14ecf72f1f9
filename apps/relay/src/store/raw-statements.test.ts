import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { isStatementError, sqlState } from '../messages/accept/statement-error.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { isDatabaseUnavailable } from './connection/database-unavailable.ts'
import { connectDatabase, connectRawDatabase } from './database.ts'
import { Prisma } from './generated/client.ts'
import {
  inOneTrip,
  polling,
  type RawStatements,
  rawStatement,
  rawTransaction,
  together,
  transactionInOneTrip,
  withoutPrisma,
} from './raw-statements.ts'
import { readRow } from './read-rows.ts'

const world = useTestDatabase({ connections: 2 })

const everyType = Prisma.sql`
  SELECT 'text' AS text, 7::int2 AS small, 7 AS int, 9007199254740993 AS big, 0.25::float8 AS float, true AS bool,
    '2026-03-01T12:00:00.5Z'::timestamptz AS time, '2026-03-01T12:00:00Z'::timestamptz(3) AS second,
    '0044-03-15T12:00:00Z'::timestamptz AS early,
    '\\x00ff'::bytea AS octets, '{"a":[1,null]}'::jsonb AS json, 'Sent'::message_state AS state,
    ARRAY['a', NULL] AS texts, ARRAY[1, 2] AS ints, ARRAY[9007199254740993, NULL] AS bigs, NULL::int AS nothing`

const parameters = () => {
  const time = new Date('2026-03-01T12:00:00.123Z')
  return Prisma.sql`
    SELECT ${time}::timestamptz AS time, ${[time, null]}::timestamptz[] AS times, ${7n}::bigint AS big,
      ${[7n, null]}::bigint[] AS bigs, ${[true, null]}::bool[] AS bools, ${[0.5, -1]}::float8[] AS floats,
      ${['a"b', null, '{}', '', 'NULL', 'a,b', ' c ', '\\', '\\"', '\n', 'é']}::text[] AS texts,
      ${[new Date('0044-03-15T12:00:00Z')]}::timestamptz[] AS early,
      ${new Uint8Array([0, 255])}::bytea AS octets, ${null}::text AS nothing, ${0.5}::float8 AS float, ${'é'}::text AS text`
}

test.each([
  ['results', () => everyType],
  ['parameters', parameters],
])('converts %s like the Prisma client', async (_, statement) => {
  const [ours] = await withoutPrisma(world.database).$queryRaw<object[]>(statement())
  const [expected] = await world.database.$queryRaw<object[]>(statement())
  expect(plain(ours)).toEqual(plain(expected))
})

test('reads times of any year', async () => {
  const row = z.object({ late: z.date(), early: z.date() })
  const { late, early } = await readRow(
    world.database,
    row,
    Prisma.sql`SELECT '12026-03-01T12:00:00Z'::timestamptz AS late, '0044-03-15T12:00:00Z BC'::timestamptz AS early`,
  )
  expect([late.toISOString(), early.toISOString()]).toEqual([
    '+012026-03-01T12:00:00.000Z',
    '-000043-03-15T12:00:00.000Z',
  ])
})

test('a client without Prisma opens another connection after an idle one was lost', async () => {
  const alone = connectRawDatabase({ url: world.url, connections: 1 })
  const sessionOf = async () =>
    (await readRow(alone, z.object({ pid: z.int() }), Prisma.sql`SELECT pg_backend_pid() AS pid`)).pid
  const lost = await sessionOf()
  await world.database.$executeRaw`SELECT pg_terminate_backend(${lost}::int, 5000)`
  await expect.poll(() => sessionOf().catch(() => lost)).not.toBe(lost)
  await alone.$disconnect()
})

/** Octets may be a Buffer or a Uint8Array. */
function plain(row: object | undefined) {
  return Object.fromEntries(
    Object.entries(row ?? {}).map(([name, value]) => [name, value instanceof Uint8Array ? [...value] : value]),
  )
}

test('returns the number of changed rows, and commits all statements of a transaction together', async () => {
  await account('a')
  const changed = await rawTransaction(world.database, async (statements) => {
    await statements.$executeRaw`UPDATE accounts SET password_hash = 'first' WHERE id = ${'a'}`
    return await statements.$executeRaw`UPDATE accounts SET password_hash = 'second' WHERE id = ${'a'}`
  })
  expect(changed).toBe(1)
  expect(await world.database.account.findUnique({ where: { id: 'a' } })).toMatchObject({ passwordHash: 'second' })
})

test('rolls back after an error, and the connection can be used again', async () => {
  await account('b')
  for (let round = 0; round < 5; round += 1) {
    const failing = rawTransaction(world.database, async (statements) => {
      await statements.$executeRaw`UPDATE accounts SET password_hash = 'changed' WHERE id = ${'b'}`
      throw new TypeError('an error of the caller')
    })
    await expect(failing).rejects.toThrow('an error of the caller')
  }
  expect(await world.database.account.findUnique({ where: { id: 'b' } })).toMatchObject({ passwordHash: '' })
})

test('reports a violated constraint with its code but without its values', async () => {
  await account('c')
  const error = await rawTransaction(
    world.database,
    (statements) =>
      statements.$executeRaw`INSERT INTO accounts (id, username, password_hash) VALUES ('d', ${'c'}, ${'secret'})`,
  ).catch((failure: unknown) => failure)
  expect(error).toBeInstanceOf(DatabaseError)
  expect(sqlState(error)).toBe('23505')
  expect(isDatabaseUnavailable(error)).toBe(false)
  expect(JSON.stringify({ ...(error as object) })).not.toMatch(/secret|Key/)
})

test('replaces a connection that is lost in a transaction, and reports the database as unavailable', async () => {
  for (let round = 0; round < 3; round += 1) {
    const error = await rawTransaction(world.database, async (statements) => {
      await statements.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`
    }).catch((failure: unknown) => failure)
    expect(isDatabaseUnavailable(error)).toBe(true)
  }
  const row = z.object({ answer: z.int() })
  expect(await readRow(world.database, row, Prisma.sql`SELECT 42 AS answer`)).toEqual({ answer: 42 })
})

test('a single statement is a transaction of its own, and its connection is closed after the time limit', async () => {
  await account('single')
  await rawStatement(
    world.database,
    (statements) => statements.$executeRaw`UPDATE accounts SET password_hash = 'changed' WHERE id = ${'single'}`,
  )
  const changed = await world.database.account.findUniqueOrThrow({ where: { id: 'single' } })
  expect(changed.passwordHash).toBe('changed')
  const refused = rawStatement(world.database, (statements) => statements.$queryRaw`SELECT 1 / 0`)
  await expect(refused).rejects.toThrow('division by zero')
  const late = rawStatement(world.database, (statements) => statements.$queryRaw`SELECT pg_sleep(60)`, 20)
  const error = await late.catch((failure: unknown) => failure)
  expect(isDatabaseUnavailable(error)).toBe(true)
  const row = z.object({ answer: z.int() })
  expect(await readRow(world.database, row, Prisma.sql`SELECT 42 AS answer`)).toEqual({ answer: 42 })
})

test('reports a transaction as failed if one of its statements failed, even if the work ignored the error', async () => {
  await account('e')
  const failing = rawTransaction(world.database, async (statements) => {
    await statements.$executeRaw`UPDATE accounts SET password_hash = 'changed' WHERE id = ${'e'}`
    await statements.$queryRaw`SELECT 1 / 0`.catch(() => undefined)
  })
  await expect(failing).rejects.toThrow('transaction rolled back')
  expect(await world.database.account.findUnique({ where: { id: 'e' } })).toMatchObject({ passwordHash: '' })
})

test('runs statements that are sent together in their order', async () => {
  await account('f')
  const set = (statements: RawStatements, value: string) =>
    statements.$executeRaw`UPDATE accounts SET password_hash = password_hash || ${value} WHERE id = ${'f'}`
  const changed = await rawTransaction(world.database, (statements) =>
    together(['1', '2', '3'].map((value) => set(statements, value))),
  )
  expect(changed).toEqual([1, 1, 1])
  expect(await world.database.account.findUnique({ where: { id: 'f' } })).toMatchObject({ passwordHash: '123' })
})

test('runs no statement after the end of the transaction if one of several statements fails', async () => {
  await account('g')
  let late: Promise<unknown> | undefined
  const failing = rawTransaction(world.database, (statements) => {
    late = sleep(100).then(
      () => statements.$executeRaw`UPDATE accounts SET password_hash = 'changed' WHERE id = ${'g'}`,
    )
    // The error of the late statement only says that the transaction has failed.
    return together([late, statements.$queryRaw`SELECT 1 / 0`])
  })
  expect(sqlState(await failing.catch((failure: unknown) => failure))).toBe('22012')
  await expect(late).rejects.toThrow('aborted')
  expect(await world.database.account.findUnique({ where: { id: 'g' } })).toMatchObject({ passwordHash: '' })
})

test.each([
  ['a statement that locks', Prisma.sql`SELECT id FROM accounts FOR UPDATE`],
  ['a statement that writes', Prisma.sql`UPDATE accounts SET password_hash = 'changed by begin'`],
])('a transaction that begins with %s writes nothing if its BEGIN fails', async (name, first) => {
  await account(`BEGIN ${name}`)
  const { query } = Client.prototype
  vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    return Reflect.apply(query, this, args.with(0, args[0] === 'BEGIN' ? 'SELECT 1 / 0' : args[0]))
  })
  const other = connectDatabase({ url: world.url, connections: 1 })
  const failing = rawTransaction(other, async (statements) => {
    await statements.$queryRaw(first)
    await together([1, 2].map(() => statements.$executeRaw`UPDATE accounts SET password_hash = 'changed by begin'`))
  })
  const error = await failing.catch((failure: unknown) => failure).finally(() => vi.restoreAllMocks())
  expect(error).toMatchObject({ code: '22012' })
  expect(await world.database.account.count({ where: { passwordHash: 'changed by begin' } })).toBe(0)
  await other.$disconnect()
})

test('statements in one trip are sent at once over one connection, and each is committed alone', async () => {
  await account('j')
  const { query } = Client.prototype
  const log: string[] = []
  vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    log.push('sent')
    const answer: unknown = Reflect.apply(query, this, args)
    if (answer instanceof Promise) answer.catch(() => undefined).then(() => log.push('answered'))
    return answer
  })
  // A connection that is opened now uses the function above.
  const other = connectDatabase({ url: world.url, connections: 1 })
  const statements = inOneTrip(other)
  const first = statements.$executeRaw`UPDATE accounts SET password_hash = 'changed' WHERE id = ${'j'}`
  const failing = statements.$queryRaw`SELECT 1 / 0`
  await Promise.allSettled([first, failing]).finally(() => vi.restoreAllMocks())
  await other.$disconnect()
  expect(log).toEqual(['sent', 'sent', 'answered', 'answered'])
  expect(await world.database.account.findUnique({ where: { id: 'j' } })).toMatchObject({ passwordHash: 'changed' })
})

test('polls of the same turn share a connection, and a lost connection is replaced', async () => {
  const row = z.object({ pid: z.int() })
  const poll = () => readRow(polling(world.database), row, Prisma.sql`SELECT pg_backend_pid() AS pid`)
  const sessions = new Set((await Promise.all([poll(), poll(), poll()])).map(({ pid }) => pid))
  expect(sessions.size).toBe(1)
  const ending = polling(world.database).$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`
  const [error, other] = await Promise.all([ending, poll()].map((one) => one.catch((failure: unknown) => failure)))
  expect([error, other].map(isDatabaseUnavailable)).toEqual([true, true])
  expect(sessions).not.toContain((await poll()).pid)
})

test('polls that are sent first do not wait for a slow poll of the same turn, on the same connection', async () => {
  const row = z.object({ pid: z.int() })
  const ended: string[] = []
  const poll = async (name: string, isFirst: boolean, sql: Prisma.Sql) => {
    const { pid } = await readRow(polling(world.database, { isFirst }), row, sql)
    ended.push(name)
    return pid
  }
  const pids = await Promise.all([
    poll('slow', false, Prisma.sql`SELECT pg_backend_pid() AS pid FROM (SELECT pg_sleep(1)) AS slow`),
    poll('later', false, Prisma.sql`SELECT pg_backend_pid() AS pid`),
    poll('fast', true, Prisma.sql`SELECT pg_backend_pid() AS pid`),
  ])
  expect(ended).toEqual(['fast', 'slow', 'later'])
  expect(new Set(pids).size).toBe(1)
})

test.each([
  ['a statement', (statements: RawStatements) => statements.$queryRaw`SELECT pg_sleep(600)`],
  ['something else', () => new Promise<never>(() => undefined)],
])('ends a transaction that waits too long for %s, and reports the database as unavailable', async (reason, wait) => {
  await account(`slow ${reason}`)
  let pid = 0
  const transaction = rawTransaction(
    world.database,
    async (statements) => {
      const row = z.object({ pid: z.int() })
      pid = (await readRow(statements, row, Prisma.sql`SELECT pg_backend_pid() AS pid`)).pid
      await statements.$executeRaw`UPDATE accounts SET password_hash = 'changed' WHERE id = ${`slow ${reason}`}`
      await wait(statements)
    },
    2_000,
  )
  const error = await transaction.catch((failure: unknown) => failure)
  expect(isDatabaseUnavailable(error)).toBe(true)
  expect(String(error)).toContain('database transaction took longer than 2 s')
  // PostgreSQL notices the closed connection only after the statement.
  await world.database.$queryRaw`SELECT pg_terminate_backend(${pid}::int)`
  await expect.poll(() => isConnected(pid)).toBe(false)
  const again = await rawTransaction(world.database, (statements) =>
    readRow(statements, z.object({ answer: z.int() }), Prisma.sql`SELECT 42 AS answer`),
  )
  expect(again).toEqual({ answer: 42 })
  expect(await world.database.account.findUnique({ where: { id: `slow ${reason}` } })).toMatchObject({
    passwordHash: '',
  })
})

test('a client that runs only raw statements continues when its connections end, and closes them', async () => {
  const other = connectDatabase({ url: world.url, connections: 2 })
  const row = z.object({ pid: z.int() })
  const backend = () => readRow(other, row, Prisma.sql`SELECT pg_backend_pid() AS pid`)
  const { pid } = await backend()
  await world.database.$queryRaw`SELECT pg_terminate_backend(${pid}::int)`
  await expect.poll(() => isConnected(pid)).toBe(false)
  // The client may still use the ended connection, because PostgreSQL shows the end before the client is notified.
  const again = await backend().catch((error: unknown) => {
    expect(isDatabaseUnavailable(error)).toBe(true)
    return backend()
  })
  expect(again.pid).not.toBe(pid)
  await other.$disconnect()
  await expect.poll(() => isConnected(again.pid)).toBe(false)
})

async function isConnected(pid: number): Promise<boolean> {
  const rows = await world.database.$queryRaw<object[]>`SELECT FROM pg_stat_activity WHERE pid = ${pid}::int`
  return rows.length > 0
}

async function account(id: string): Promise<void> {
  await world.database.account.create({ data: { id, username: id, passwordHash: '' } })
}

test('a transaction in one trip commits all its statements, or none and reports why', async () => {
  await world.database.$executeRaw`CREATE TABLE trip (number int PRIMARY KEY)`
  const insert = (statements: RawStatements, number: number) =>
    statements.$executeRaw`INSERT INTO trip VALUES (${number})`
  const counts = await transactionInOneTrip(world.database, (statements) => [
    insert(statements, 1),
    insert(statements, 2),
  ])
  expect(counts).toEqual([1, 1])
  const refused = transactionInOneTrip(world.database, (statements) => [insert(statements, 3), insert(statements, 1)])
  expect(sqlState(await refused.catch((error: unknown) => error))).toBe('23505')
  const first = transactionInOneTrip(world.database, (statements) => [insert(statements, 1), insert(statements, 4)])
  expect(sqlState(await first.catch((error: unknown) => error))).toBe('23505')
  const stored = await world.database
    .$queryRaw`SELECT number, xmin::text = (SELECT min(xmin::text) FROM trip) AS same FROM trip`
  expect(stored).toEqual([1, 2].map((number) => ({ number, same: true })))
})

test('the outcome of a transaction in one trip is unknown if its BEGIN fails', async () => {
  await account('unbegun')
  const { query } = Client.prototype
  vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
    const isBegin = (args[0] as { readonly text?: string }).text === 'BEGIN'
    return Reflect.apply(query, this, args.with(0, isBegin ? 'SELECT 1 / 0' : args[0]))
  })
  const other = connectDatabase({ url: world.url, connections: 1 })
  const failing = transactionInOneTrip(other, (statements) => [
    statements.$executeRaw`UPDATE accounts SET password_hash = 'changed' WHERE id = ${'unbegun'}`,
  ])
  const error = await failing.catch((failure: unknown) => failure).finally(() => vi.restoreAllMocks())
  await other.$disconnect()
  // PostgreSQL has committed the statement alone.
  expect(await world.database.account.findUnique({ where: { id: 'unbegun' } })).toMatchObject({
    passwordHash: 'changed',
  })
  expect([isStatementError(error), isDatabaseUnavailable(error)]).toEqual([false, true])
})
