// A search reads texts one by one, for there is no index of them: each message that is accepted would have to pay for it. So
// it is bounded in every direction: how far back it looks, how long it may take, and how many go on at once. Whoever
// searches is told how far back was looked.
import { ApiError } from '../http/api-error.ts'
import { FairQueue } from '../limits/fair-queue.ts'
import { sqlState } from '../messages/statement-error.ts'
import type { Database, Statements } from '../store/database.ts'
import { readEveryNumber } from './every-number-statement.ts'
import { type Matching, readMatchingNumbers, searchTerms } from './matching-numbers-statement.ts'
import type { Sights } from './sights.ts'

/** Of one relay. Each holds a connection, of which everything else needs some too. */
const AT_ONCE = 2
const WAITING = 20

/** How many messages of each direction are looked into: where that takes too long, fewer. */
const PATIENCE = { depths: [100_000, 10_000, 1_000], statementMs: 2_000, fewNumbers: 20_000 }

const QUERY_CANCELED = '57014'

export class ConversationSearch {
  readonly #database: Database
  readonly #patience: typeof PATIENCE
  readonly #queue = new FairQueue({ slots: AT_ONCE, places: WAITING })

  constructor(database: Database, patience = PATIENCE) {
    this.#database = database
    this.#patience = patience
  }

  /** Numbers that hold what is looked for, or with which it was said. */
  async find(sights: Sights, search: string): Promise<Matching> {
    const found = await this.#queue.run(sights.accountId, () => this.#find(sights, search))
    if (found !== undefined) return found
    throw new ApiError(503, 'Too many are searching at once: try again', { headers: { 'Retry-After': '2' } })
  }

  async #find(sights: Sights, search: string): Promise<Matching> {
    const { depths, fewNumbers } = this.#patience
    const { number } = searchTerms(search)
    // One that is written to has no letters; a hash of one has, and is nothing to look for.
    const written = { ...sights, sent: sights.sent && /^[+\d*#]*$/.test(number) }
    const all = await this.#inTime((statements) => readEveryNumber(statements, written, fewNumbers))
    // Of an account with more numbers than can be gone through only a whole one is found, beside those that are late.
    const isNumber = all === undefined || all.length >= fewNumbers
    const numbers = [search.trim(), number, ...(all ?? []).filter((one) => one.toLowerCase().includes(number))]
    for (const messages of depths) {
      const found = await this.#inTime((statements) =>
        readMatchingNumbers(statements, sights, search, { messages, isNumber }),
      )
      if (found !== undefined) return { ...found, numbers: [...new Set([...numbers, ...found.numbers])] }
    }
    throw new ApiError(503, 'The database is too busy to search just now: try again', {
      headers: { 'Retry-After': '5' },
    })
  }

  /** Undefined: it took too long. */
  async #inTime<Result>(read: (statements: Statements) => Promise<Result>): Promise<Result | undefined> {
    const { statementMs } = this.#patience
    try {
      return await this.#database.$transaction(async (statements) => {
        await statements.$executeRaw`SELECT set_config('statement_timeout', ${String(statementMs)}, true)`
        return await read(statements)
      })
    } catch (error) {
      if (sqlState(error) === QUERY_CANCELED) return undefined
      throw error
    }
  }
}
