import type { Socket } from 'node:net'
import { DatabaseError, type Pool, type PoolClient, type QueryResult, types } from 'pg'
import type { Database, Statements } from './database.ts'
import { Prisma } from './generated/client.ts'

/** Raw SQL statements, run by the Prisma client, by a transaction of it, or without Prisma. */
export type RawStatements = Pick<Statements, '$queryRaw' | '$executeRaw'>

interface RawPool {
  readonly pool: Pool
  /** Returns the name under which PostgreSQL keeps the plan of a statement, or an empty string for no name. */
  readonly nameOf: (statement: { readonly sql: string }) => string
  /**
   * Gives the pool to the Prisma client. From then on, the Prisma client handles errors of idle connections, and closes
   * the pool when it is disconnected.
   */
  readonly connect: () => Promise<void>
}

const pools = new WeakMap<object, RawPool>()

/** Lets the raw statements of this client use its pool directly. */
export function allowRaw(database: Database, pool: Omit<RawPool, 'connect'>): void {
  let connected: Promise<void> | undefined
  const connect = () => {
    connected ??= database.$connect().catch((error: unknown) => {
      connected = undefined
      throw error
    })
    return connected
  }
  pools.set(database, { ...pool, connect })
}

/**
 * Returns a client that runs raw statements without Prisma, which takes more CPU time to convert parameters and results
 * than `pg` takes for the whole query. Returns the given client if it belongs to a transaction or to a test.
 */
export function withoutPrisma(statements: RawStatements): RawStatements {
  const raw = pools.get(statements)
  return raw === undefined ? statements : rawStatements(raw.pool, raw)
}

/**
 * Runs the work in a transaction without Prisma, so the work can run raw statements only. In addition to the time
 * limits of the session (see database.ts), the whole transaction has a time limit. When this limit has passed, the
 * connection is closed, and the database counts as unavailable.
 */
export async function rawTransaction<Result>(
  database: Database,
  work: (statements: RawStatements) => Promise<Result>,
  timeoutMs = TRANSACTION_TIMEOUT_MS,
): Promise<Result> {
  const raw = pools.get(database)
  if (raw === undefined) return await database.$transaction(work, { timeout: timeoutMs })
  await raw.connect()
  const client = await raw.pool.connect()
  let lost: Error | undefined
  const timedOut = Promise.withResolvers<never>()
  const onLost = (error: Error) => {
    lost = error
  }
  client.on('error', onLost)
  const timer = setTimeout(() => {
    lost = new TransactionTimeout(timeoutMs)
    timedOut.reject(lost)
    // Fails the running statement, and all statements that the work runs later.
    streamOf(client).destroy(lost)
  }, timeoutMs)
  try {
    return await Promise.race([commit(client, () => work(rawStatements(client, raw))), timedOut.promise])
  } catch (error) {
    // If ROLLBACK fails, closes the connection. PostgreSQL then ends the transaction.
    lost ??= await client.query('ROLLBACK').then(
      () => undefined,
      (failure: Error) => failure,
    )
    throw concealed(error)
  } finally {
    clearTimeout(timer)
    client.off('error', onLost)
    client.release(lost)
  }
}

async function commit<Result>(client: PoolClient, work: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN')
  const result = await work()
  const { command } = await client.query('COMMIT')
  // PostgreSQL rolls back without an error if a statement failed and the work ignored its error.
  if (command !== 'COMMIT') throw new Error('transaction rolled back, because one of its statements failed')
  return result
}

/** The same limit as for transactions of Prisma that store events. */
const TRANSACTION_TIMEOUT_MS = 20_000

/** The error has a code that `isDatabaseUnavailable` recognises. */
class TransactionTimeout extends Error {
  readonly code = 'ETIMEDOUT'

  constructor(timeoutMs: number) {
    super(`database transaction took longer than ${timeoutMs / 1000} s`)
  }
}

function streamOf(client: PoolClient): Socket {
  return (client as PoolClient & { readonly connection: { readonly stream: Socket } }).connection.stream
}

function rawStatements(runner: Pool | PoolClient, { nameOf, connect }: RawPool): RawStatements {
  const run = async (text: TemplateStringsArray | Prisma.Sql, values: readonly unknown[]): Promise<QueryResult> => {
    const sql = 'raw' in text ? Prisma.sql(text, ...values) : text
    await connect()
    try {
      return await runner.query({ name: nameOf({ sql: sql.text }), text: sql.text, values: sql.values, types: parsers })
    } catch (error) {
      throw concealed(error)
    }
  }
  const statements = {
    $queryRaw: async (text: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) => (await run(text, values)).rows,
    $executeRaw: async (text: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) =>
      (await run(text, values)).rowCount ?? 0,
  }
  // Prisma declares its own subtype of promises.
  return statements as unknown as RawStatements
}

/** Removes the values of the statement, such as phone numbers, because errors are logged. */
function concealed(error: unknown): unknown {
  if (error instanceof DatabaseError) {
    error.detail = undefined
    error.where = undefined
  }
  return error
}

const INT8 = 20
const INT8_ARRAY = 1016
const TIMESTAMPTZ = 1184
const TEXT_ARRAY = 1009
const parserOf = (oid: number) => types.getTypeParser(oid)
const parseArray: (text: string) => (string | null)[] = parserOf(TEXT_ARRAY)
const parseTime: (text: string) => Date = parserOf(TIMESTAMPTZ)

/** The parsers of the types that the statements return, with the same results as those of Prisma. */
const ownParsers: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: BigInt,
  [INT8_ARRAY]: (text) => parseArray(text).map((element) => (element === null ? null : BigInt(element))),
  [TIMESTAMPTZ]: timeOf,
}

const parsers = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : ownParsers[oid]) ?? types.getTypeParser(oid, format),
}

/**
 * Parses a time. Sessions use UTC, so the text is ISO 8601 with a space and a short offset, except for infinity and
 * years of five digits.
 */
function timeOf(text: string): Date {
  if (text.length < MOST_TIME && text.endsWith('+00') && text[10] === ' ')
    return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
  return parseTime(text)
}

const MOST_TIME = '2026-03-01 12:00:00.123456+00'.length + 1
