// A search reads the texts of messages one by one, because an index would cost a write for every accepted message. So
// each request searches only for a short time, newest messages first. The answer contains the time up to which the
// search went back, and its cursor continues from this time.
//
// Conversations whose number contains the search text come first, ordered by their last message. The other
// conversations follow, ordered by the message that was found.

import { ApiError } from '../http/errors/api-error.ts'
import { FairQueue } from '../limits/fair-queue.ts'
import type { MessageRules } from '../messages/accept/check-message.ts'
import { storedSpellings } from '../messages/accept/phone-number.ts'
import { sqlState } from '../messages/accept/statement-error.ts'
import type { ConversationFilter, NumberTerm } from '../shared-inbox/conversation-filter.ts'
import type { Database, Statements } from '../store/database.ts'
import { findConversations } from './find-conversations.ts'
import { limitStatements } from './limit-statements-statement.ts'
import { readLatestEntries, type Span, type StoredConversation } from './read-latest-entries-statement.ts'
import { readTextMatches, type TextMatch } from './read-text-matches-statement.ts'
import type { Visibility } from './visibility.ts'

/** The number of searches that one relay runs at the same time. Each search uses a database connection. */
const AT_ONCE = 2
const WAITING = 20

/**
 * `portions`: how many messages of each direction one statement searches. After a timeout, the next smaller value is
 * used. Portions are searched until `searchMs` have passed.
 */
const LIMITS = { portions: [10_000, 1_000], searchMs: 150, statementMs: 2_000 }

/**
 * The start of a page of a search: among conversations found by their number, or among conversations found by a text.
 */
export interface SearchPlace {
  readonly by: 'number' | 'text'
  readonly before: Span['before']
}

export interface SearchPage {
  readonly conversations: readonly StoredConversation[]
  /** For each number, the message that was found. Conversations found by their number have no such message. */
  readonly messageIds: ReadonlyMap<string, string>
  readonly next: SearchPlace | undefined
  /** Messages before this time were not searched. Null when all messages were searched. */
  readonly since: Date | null
}

interface Search {
  readonly text: string
  readonly filter: ConversationFilter
  readonly place: SearchPlace | undefined
  readonly limit: number
}

/** The largest number of statements for one page of conversations. */
const MOST_STATEMENTS = 12
const QUERY_CANCELED = '57014'
const AFTER_ALL = { at: new Date('9999-12-31T00:00:00Z'), number: '' }

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

  /** Returns a page of conversations whose number or messages contain the search text. */
  async find(visibility: Visibility, search: Search): Promise<SearchPage> {
    const found = await this.#queue.run(visibility.accountId, () => this.#find(visibility, search))
    if (found !== undefined) return found
    throw new ApiError(503, 'Too many searches are running: try again', { headers: { 'Retry-After': '2' } })
  }

  async #find(visibility: Visibility, { text, filter, place, limit }: Search): Promise<SearchPage> {
    const number = this.#numberTerm(visibility, text)
    const isByText = place?.by === 'text'
    const byNumber = isByText ? [] : await this.#findByNumber(visibility, { ...filter, number }, place, limit + 1)
    const last = byNumber.length > limit ? byNumber[limit - 1] : undefined
    if (last !== undefined) {
      const next = { by: 'number', before: { at: last.at, number: last.number } } as const
      return { conversations: byNumber.slice(0, limit), messageIds: new Map(), next, since: null }
    }
    const take = limit - byNumber.length
    const before = isByText ? place.before : AFTER_ALL
    const { matches, since } = await this.#findByText(visibility, { text, filter, number, before, take: take + 1 })
    const page = matches.slice(0, take)
    const lastMatch = matches.length > take ? (page.at(-1) ?? AFTER_ALL) : undefined
    const end = lastMatch ?? (since === null ? undefined : { at: since, number: '' })
    return {
      conversations: [...byNumber, ...(await this.#conversationsOf(visibility, page))],
      messageIds: new Map(page.map((match) => [match.number, match.messageId])),
      next: end && { by: 'text', before: { at: end.at, number: end.number } },
      since,
    }
  }

  #numberTerm({ received }: Visibility, search: string): NumberTerm {
    const text = search.toLowerCase()
    const part = WRITTEN_NUMBER.test(text) ? text.replace(/[^+\d]/g, '') : text
    return { part, whole: storedSpellings(search, this.#rules.defaultRegion), received }
  }

  /**
   * Finds conversations by number. If the search takes too long, returns only conversations whose whole number matches.
   */
  async #findByNumber(
    visibility: Visibility,
    filter: ConversationFilter & { readonly number: NumberTerm },
    place: SearchPlace | undefined,
    take: number,
  ): Promise<StoredConversation[]> {
    const options = { before: place?.before, filter, take }
    const found = await this.#inTime((statements) =>
      findConversations(statements, visibility, { ...options, among: undefined }),
    )
    if (found !== undefined) return found
    const whole = await this.#inTime((statements) =>
      findConversations(statements, visibility, { ...options, among: filter.number.whole }),
    )
    return whole ?? []
  }

  async #findByText(
    visibility: Visibility,
    { text, before, take, ...search }: Pick<Search, 'text' | 'filter'> & FromPlace,
  ): Promise<{ readonly matches: readonly TextMatch[]; readonly since: Date | null }> {
    const { portions, searchMs } = this.#limits
    const endMs = performance.now() + searchMs
    const matches = new Map<string, TextMatch>()
    let from = before
    for (let portion = 0; ; ) {
      const messages = portions[portion]
      if (messages === undefined) {
        // Ends the search after a timeout. If earlier portions were searched, their matches are returned.
        if (from !== before) break
        throw tooBusy()
      }
      const asked = { ...search, text: text.toLowerCase(), before: from, messages, take }
      const found = await this.#inTime((statements) => readTextMatches(statements, visibility, asked))
      if (found === undefined) {
        portion += 1
        continue
      }
      for (const match of found.matches) if (!matches.has(match.number)) matches.set(match.number, match)
      if (found.since === null) return { matches: [...matches.values()], since: null }
      from = { at: found.since, number: '' }
      if (matches.size >= take || performance.now() >= endMs) break
    }
    return { matches: [...matches.values()], since: from.at }
  }

  async #conversationsOf(visibility: Visibility, matches: readonly TextMatch[]): Promise<StoredConversation[]> {
    const numbers = matches.map(({ number }) => number)
    const span = { after: undefined, before: AFTER_ALL }
    const found = await readLatestEntries(this.#database, visibility, numbers, span, numbers.length)
    const all = new Map(found.map((one) => [one.number, one]))
    return numbers.flatMap((number) => all.get(number) ?? [])
  }

  /** Returns undefined after a timeout. */
  async #inTime<Result>(read: (statements: Statements) => Promise<Result>): Promise<Result | undefined> {
    const { statementMs } = this.#limits
    try {
      return await this.#database.$transaction(
        async (statements) => {
          await limitStatements(statements, statementMs)
          return await read(statements)
        },
        { timeout: MOST_STATEMENTS * statementMs },
      )
    } catch (error) {
      if (sqlState(error) === QUERY_CANCELED) return undefined
      throw error
    }
  }
}

interface FromPlace {
  readonly number: NumberTerm
  readonly before: Span['before']
  readonly take: number
}

/** Matches a text that can only be a part of a number. */
const WRITTEN_NUMBER = /^\+?[\d\s()./-]+$/

function tooBusy(): ApiError {
  return new ApiError(503, 'The database is too busy to search: try again', { headers: { 'Retry-After': '5' } })
}
