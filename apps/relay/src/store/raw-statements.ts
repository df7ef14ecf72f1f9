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
   * Lets the Prisma client take over the pool. From then on, it handles errors of idle connections, and closes the pool when
   * it is disconnected.
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
 * Runs the work in a transaction without Prisma, so the work can run raw statements only. The time limits of the session
 * apply (see database.ts).
 */
export async function rawTransaction<Result>(
  database: Database,
  work: (statements: RawStatements) => Promise<Result>,
): Promise<Result> {
  const raw = pools.get(database)
  if (raw === undefined) return await database.$transaction(work)
  await raw.connect()
  const client = await raw.pool.connect()
  let lost: Error | undefined
  const onLost = (error: Error) => {
    lost = error
  }
  client.on('error', onLost)
  try {
    await client.query('BEGIN')
    const result = await work(rawStatements(client, raw))
    await client.query('COMMIT')
    return result
  } catch (error) {
    // If the transaction cannot be ended, the connection is closed, which ends it.
    lost ??= await client.query('ROLLBACK').then(
      () => undefined,
      (failure: Error) => failure,
    )
    throw concealed(error)
  } finally {
    client.off('error', onLost)
    client.release(lost)
  }
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

/** Sessions use UTC, so the text is ISO 8601 with a space and a short offset, except for infinity and years of five digits. */
function timeOf(text: string): Date {
  if (text.length < MOST_TIME && text.endsWith('+00') && text[10] === ' ')
    return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
  return parseTime(text)
}

const MOST_TIME = '2026-03-01 12:00:00.123456+00'.length + 1
