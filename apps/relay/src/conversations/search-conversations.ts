// A search reads the texts of messages one by one, because an index would cost a write for every accepted message. So
// its depth, its duration and the number of concurrent searches are limited. The answer says how far back the search
// reached.

import { ApiError } from '../http/api-error.ts'
import { FairQueue } from '../limits/fair-queue.ts'
import type { MessageRules } from '../messages/accept/check-message.ts'
import { storedSpellings } from '../messages/accept/phone-number.ts'
import { sqlState } from '../messages/accept/statement-error.ts'
import type { Database, Statements } from '../store/database.ts'
import { limitStatements } from './limit-statements-statement.ts'
import { readEveryNumber } from './read-every-number-statement.ts'
import { type Matching, readMatchingNumbers, searchTerms } from './read-matching-numbers-statement.ts'
import type { Visibility } from './visibility.ts'

/** The number of searches that one relay runs at the same time. Each search uses a database connection. */
const AT_ONCE = 2
const WAITING = 20

/** `depths`: how many messages of each direction are searched. After each timeout the next smaller number is tried. */
const LIMITS = { depths: [100_000, 10_000, 1_000], statementMs: 2_000, fewNumbers: 20_000 }

interface Found {
  readonly numbers: readonly string[]
  /** The latest message with the search text by its number. */
  readonly messageIds: ReadonlyMap<string, string>
  /** Messages before this time were not searched. Null when all messages were searched. */
  readonly since: Date | null
}

const QUERY_CANCELED = '57014'

export class ConversationSearch {
  readonly #database: Database
  readonly #rules: Pick<MessageRules, 'defaultRegion'>
  readonly #limits: typeof LIMITS
  readonly #queue = new FairQueue({ slots: AT_ONCE, places: WAITING })

  constructor(database: Database, rules: Pick<MessageRules, 'defaultRegion'>, limits = LIMITS) {
    this.#database = database
    this.#rules = rules
    this.#limits = limits
  }

  /** Returns the numbers that contain the search term or whose messages contain it. */
  async find(visibility: Visibility, search: string): Promise<Found> {
    const found = await this.#queue.run(visibility.accountId, () => this.#find(visibility, search))
    if (found !== undefined) return found
    throw new ApiError(503, 'Too many searches are running: try again', { headers: { 'Retry-After': '2' } })
  }

  async #find(visibility: Visibility, search: string): Promise<Found> {
    const { depths, fewNumbers } = this.#limits
    const { number } = searchTerms(search)
    // Numbers contain no letters. Hashes of numbers contain letters and must not be found.
    const written = { ...visibility, sent: visibility.sent && /^[+\d*#]*$/.test(number) }
    const all = await this.#inTime((statements) => readEveryNumber(statements, written, fewNumbers))
    // In accounts with very many numbers, part of a number is found only among recent messages. A whole number is
    // always found.
    const isNumber = all === undefined || all.length >= fewNumbers
    const spellings = storedSpellings(search.trim(), this.#rules.defaultRegion)
    const numbers = [...spellings, number, ...(all ?? []).filter((one) => one.toLowerCase().includes(number))]
    for (const messages of depths) {
      const found = await this.#inTime((statements) =>
        readMatchingNumbers(statements, visibility, search, { messages, isNumber }),
      )
      if (found !== undefined) return foundOf(numbers, found)
    }
    throw new ApiError(503, 'The database is too busy to search: try again', {
      headers: { 'Retry-After': '5' },
    })
  }

  /** Returns undefined after a timeout. */
  async #inTime<Result>(read: (statements: Statements) => Promise<Result>): Promise<Result | undefined> {
    const { statementMs } = this.#limits
    try {
      return await this.#database.$transaction(async (statements) => {
        await limitStatements(statements, statementMs)
        return await read(statements)
      })
    } catch (error) {
      if (sqlState(error) === QUERY_CANCELED) return undefined
      throw error
    }
  }
}

function foundOf(numbers: readonly string[], { numbers: matching, messageIds, since }: Matching): Found {
  const found = matching.flatMap((number, index) => {
    const id = messageIds[index]
    return id ? [[number, id] as const] : []
  })
  return { numbers: [...new Set([...numbers, ...matching])], messageIds: new Map(found), since }
}
