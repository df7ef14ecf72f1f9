import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '@smsgw/daemon/start-error'
import { Client } from 'pg'
import { isDatabaseAway } from './database-away.ts'

/** What the migrations and statements need. */
const OLDEST_VERSION = 14
const LONGEST_PAUSE_MS = 2_000

export interface Patience {
  readonly waitMs: number
  /** Told of the first failure, so that a person who watches knows what is going on. */
  readonly report: (line: string) => void
}

/** Waits for a database that starts at the same time as we do; then says what was tried. */
export async function reachDatabase(url: string, { waitMs, report }: Patience): Promise<void> {
  const giveUpAt = performance.now() + waitMs
  for (let tries = 1, pauseMs = 100; ; tries += 1, pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const problem = await tryOnce(url)
    if (problem === undefined) return
    if (performance.now() + pauseMs > giveUpAt) {
      const seconds = Math.round(waitMs / 1000)
      throw new StartError(
        `${place(url)} does not answer (${problem}), tried ${tries} times in ${seconds} s: ` +
          'start PostgreSQL, or correct DATABASE_URL',
      )
    }
    if (tries === 1) report(`waiting for ${place(url)}: ${problem}`)
    await sleep(pauseMs)
  }
}

/** Why it may answer later; undefined when it answered; an error when it never will. */
async function tryOnce(url: string): Promise<string | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined) // a loss after the answer is the pool's to find
  try {
    await client.connect()
    const { rows } = await client.query<{ version: string }>(
      `SELECT current_setting('server_version_num')::int / 10000 AS version`,
    )
    const version = Number(rows[0]?.version)
    if (version < OLDEST_VERSION)
      throw new StartError(`${place(url)} is PostgreSQL ${version}: ${OLDEST_VERSION} is the oldest that works`)
    return undefined
  } catch (error) {
    if (error instanceof StartError) throw error
    const message = messageOf(error)
    if (isDatabaseAway(error) || isEachAway(error)) return message
    throw new StartError(`${place(url)} refuses: ${message}. Correct DATABASE_URL`, { cause: error })
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** A name with several addresses fails once for each. */
function isEachAway(error: unknown): boolean {
  return error instanceof AggregateError && error.errors.every(isDatabaseAway)
}

function messageOf(error: unknown): string {
  const one = error instanceof AggregateError ? error.errors[0] : error
  return one instanceof Error ? one.message : String(one)
}

/** Where, without the password. */
function place(url: string): string {
  if (!URL.canParse(url)) return 'the database of DATABASE_URL'
  const { username, hostname, port, pathname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? `${hostname}:${port || '5432'}`
  return `PostgreSQL at ${host}${pathname}${username ? ` (user ${username})` : ''}`
}
