import type { Socket } from 'node:net'
import { DatabaseError, type Pool, type PoolClient, type QueryConfig, type QueryResult, types } from 'pg'
import type { Database, Statements } from './database.ts'
import { Prisma } from './generated/client.ts'
import { parameterOf } from './parameter.ts'

/** Raw SQL statements, run by the Prisma client, by a transaction of it, or without Prisma. */
export type RawStatements = Pick<Statements, '$queryRaw' | '$executeRaw'>

/** A client without Prisma, for raw statements and `rawTransaction`. */
export interface RawDatabase extends RawStatements {
  readonly $disconnect: () => Promise<void>
}

export interface RawPool {
  readonly pool: Pool
  /** Returns the name under which PostgreSQL keeps the plan of a statement, or an empty string for no name. */
  readonly nameOf: (statement: { readonly sql: string }) => string
  /**
   * Gives the pool to the Prisma client. From then on, the Prisma client handles errors of idle connections, and closes
   * the pool when it is disconnected.
   */
  readonly connect: () => Promise<void>
  readonly polls: SharedConnection
}

const pools = new WeakMap<object, RawPool>()

/** Lets the raw statements of this client use its pool directly. */
export function allowRaw(database: Database, { pool, nameOf }: Pick<RawPool, 'pool' | 'nameOf'>): void {
  let connected: Promise<void> | undefined
  const connect = () => {
    connected ??= database.$connect().catch((error: unknown) => {
      connected = undefined
      throw error
    })
    return connected
  }
  pools.set(database, { pool, nameOf, connect, polls: new SharedConnection(pool) })
}

/** Returns a client of this pool, which closes the pool when it is disconnected. */
export function rawDatabase({ pool, nameOf }: Pick<RawPool, 'pool' | 'nameOf'>): RawDatabase {
  // If an idle connection is lost, the next statement opens another one.
  pool.on('error', () => undefined)
  const raw = { pool, nameOf, connect: async () => undefined, polls: new SharedConnection(pool) }
  const database = { ...rawStatements((query) => pool.query(query), raw), $disconnect: () => pool.end() }
  pools.set(database, raw)
  return database
}

/**
 * Returns a client that runs raw statements without Prisma, which takes more CPU time to convert parameters and results
 * than `pg` takes for the whole query. Returns the given client if it belongs to a transaction or to a test.
 */
export function withoutPrisma(statements: RawStatements): RawStatements {
  const raw = pools.get(statements)
  return raw === undefined ? statements : rawStatements((query) => raw.pool.query(query), raw)
}

/**
 * Returns statements for polls. The polls of one turn of the event loop share a connection and one round trip, so an
 * idle relay wakes up one session of the database instead of one for each poll. A slow poll delays the polls after it,
 * so these must be statements whose delay harms nobody. Polls with `isFirst` are sent before the others of their turn,
 * in the order in which they were made, so they must be fast.
 */
export function polling(database: Database, { isFirst = false } = {}): RawStatements {
  const raw = pools.get(database)
  return raw === undefined ? database : rawStatements((query) => raw.polls.query(query, isFirst), raw)
}

/**
 * Returns statements that share a connection if they are started in the same turn of the event loop. They are sent in
 * one round trip, and PostgreSQL runs them in this order. Each is a transaction of its own.
 */
export function inOneTrip(database: Database): RawStatements {
  const raw = pools.get(database)
  if (raw === undefined) return database
  const connection = new SharedConnection(raw.pool)
  return rawStatements((query) => connection.query(query, false), raw)
}

/**
 * Runs the work in a transaction without Prisma, so the work can run raw statements only. In addition to the time
 * limits of the session (see database.ts), the whole transaction has a time limit. When this limit has passed, the
 * connection is closed, and the database counts as unavailable.
 */
export async function rawTransaction<Result>(
  database: Database | RawDatabase,
  work: (statements: RawStatements) => Promise<Result>,
  timeoutMs = TRANSACTION_TIMEOUT_MS,
): Promise<Result> {
  const raw = pools.get(database)
  if (raw === undefined) return await (database as Database).$transaction(work, { timeout: timeoutMs })
  return await onConnection(raw, timeoutMs, (client) => commit(client, (send) => work(rawStatements(send, raw))))
}

/**
 * Runs a transaction whose statements do not need each other's results, in one round trip: BEGIN, the statements and
 * COMMIT are sent at once. `start` must start all statements before it returns. PostgreSQL runs them in this order. If
 * one of them fails, it rolls back. If BEGIN fails, PostgreSQL commits each of them alone, so the outcome is unknown.
 */
export async function transactionInOneTrip<Results extends readonly unknown[]>(
  database: Database,
  start: (statements: RawStatements) => { readonly [At in keyof Results]: Promise<Results[At]> },
): Promise<Results> {
  const raw = pools.get(database)
  if (raw === undefined) throw new Error('this client of the database has no pool for raw statements')
  return await onConnection(raw, TRANSACTION_TIMEOUT_MS, async (client) => {
    const send: Send = (query) => sentTogether(client, () => client.query(query))
    const begun = send({ text: 'BEGIN' }).catch((error: unknown) => {
      throw new OutcomeUnknown(error)
    })
    const started = together<Results>(start(rawStatements(send, { nameOf: raw.nameOf })))
    const [, results, ended] = await together([begun, started, send({ text: 'COMMIT' })])
    checkCommitted(ended)
    return results
  })
}

/** Runs a single statement, which is its own transaction, with the time limit of `rawTransaction`. */
export async function rawStatement<Result>(
  database: Database | RawDatabase,
  run: (statements: RawStatements) => Promise<Result>,
  timeoutMs = TRANSACTION_TIMEOUT_MS,
): Promise<Result> {
  const raw = pools.get(database)
  if (raw === undefined) return await run(database)
  const send = (client: PoolClient) => (query: QueryConfig) => sentTogether(client, () => client.query(query))
  return await onConnection(raw, timeoutMs, (client) => run(rawStatements(send(client), raw)))
}

/** Runs the work on a connection of the pool. Rolls back and limits the time as `rawTransaction` describes. */
async function onConnection<Result>(
  raw: RawPool,
  timeoutMs: number,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
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
    return await Promise.race([work(client), timedOut.promise])
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

type Send = (query: QueryConfig) => Promise<QueryResult>

/**
 * Sends a first statement that reads, or reads and locks, together with BEGIN. All other statements wait for BEGIN,
 * because without a transaction PostgreSQL would commit each of them alone.
 */
async function commit<Result>(client: PoolClient, work: (send: Send) => Promise<Result>): Promise<Result> {
  const begin = sentTogether(client, () => client.query('BEGIN'))
  let isFirst = true
  const send: Send = async (query) => {
    const isSentWithBegin = isFirst && /^\s*SELECT\b/i.test(query.text)
    isFirst = false
    if (!isSentWithBegin) await begin
    return await sentTogether(client, () => client.query(query))
  }
  const [, result] = await together([begin, work(send)])
  checkCommitted(await client.query('COMMIT'))
  return result
}

/** PostgreSQL rolls back without an error if a statement failed and the work ignored its error. */
function checkCommitted({ command }: QueryResult): void {
  if (command !== 'COMMIT') throw new Error('transaction rolled back, because one of its statements failed')
}

/**
 * Waits for statements that are sent without waiting for each other, so that they share a round trip. PostgreSQL runs
 * them in this order. Waits for all of them even if one fails, because none may run after the end of its transaction.
 * Throws the error that caused the failure, not an error of a statement that PostgreSQL refused because of it.
 */
export async function together<Results extends readonly unknown[]>(
  statements: {
    readonly [At in keyof Results]: Promise<Results[At]>
  },
): Promise<Results> {
  const settled = await Promise.allSettled(statements)
  const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (errors.length > 0) throw errors.find((error) => !isAborted(error)) ?? errors[0]
  return settled.map((one) => one.status === 'fulfilled' && one.value) as unknown as Results
}

/** Returns true if PostgreSQL refused a statement because an earlier statement of its transaction has failed. */
function isAborted(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '25P02'
}

/** Writes the statements that are sent in the same turn of the event loop to the socket at once. */
function sentTogether<Sent>(client: PoolClient, send: () => Sent): Sent {
  const stream = streamOf(client)
  stream.cork()
  process.nextTick(() => stream.uncork())
  return send()
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

/** The code is `transaction_resolution_unknown`, which `isDatabaseUnavailable` recognises. */
class OutcomeUnknown extends Error {
  readonly code = '08007'

  constructor(cause: unknown) {
    super('a transaction did not begin, so its statements may have been committed', { cause })
  }
}

function streamOf(client: PoolClient): Socket {
  return (client as PoolClient & { readonly connection: { readonly stream: Socket } }).connection.stream
}

/** Sends at once if there is no `connect`, which the connection of a transaction does not need. */
function rawStatements(
  send: Send,
  { nameOf, connect }: Pick<RawPool, 'nameOf'> & Partial<Pick<RawPool, 'connect'>>,
): RawStatements {
  const run = async (text: TemplateStringsArray | Prisma.Sql, values: readonly unknown[]): Promise<QueryResult> => {
    const sql = 'raw' in text ? Prisma.sql(text, ...values) : text
    if (connect !== undefined) await connect()
    try {
      return await send({
        name: nameOf({ sql: sql.text }),
        text: sql.text,
        values: sql.values.map(parameterOf),
        types: parsers,
      })
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

/** Collects the statements of one turn of the event loop, and then sends them on one connection of the pool. */
class SharedConnection {
  readonly #pool: Pool
  #turn: Turn | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  query(query: QueryConfig, isFirst: boolean): Promise<QueryResult> {
    const statement = { query, ...Promise.withResolvers<QueryResult>() }
    this.#turn ??= this.#begin()
    this.#turn[isFirst ? 'first' : 'others'].push(statement)
    return statement.promise
  }

  #begin(): Turn {
    const turn: Turn = { first: [], others: [] }
    setImmediate(() => {
      this.#turn = undefined
      void this.#run([...turn.first, ...turn.others])
    })
    return turn
  }

  /** After a failed statement, closes the connection, because it may be lost. */
  async #run(statements: readonly SharedStatement[]): Promise<void> {
    let client: PoolClient
    try {
      client = await this.#pool.connect()
    } catch (error) {
      for (const { reject } of statements) reject(error)
      return
    }
    let failure: unknown
    const fail = (error: unknown) => {
      failure ??= error
    }
    client.on('error', fail)
    const settled = statements.map(async ({ query, resolve, reject }) => {
      try {
        resolve(await sentTogether(client, () => client.query(query)))
      } catch (error) {
        fail(error)
        reject(error)
      }
    })
    await Promise.all(settled)
    client.off('error', fail).release(failure !== undefined)
  }
}

interface Turn {
  readonly first: SharedStatement[]
  readonly others: SharedStatement[]
}

interface SharedStatement extends PromiseWithResolvers<QueryResult> {
  readonly query: QueryConfig
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
