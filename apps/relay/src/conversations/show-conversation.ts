import { conversationEntry, conversationParams, showConversationQuery } from '@smsgw/contract/conversation'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { linkToNext, momentOf, refusedCursor } from '../http/page.ts'
import type { Database } from '../store/database.ts'
import {
  type ReceivedEntry,
  type ReceivedPlace,
  readReceivedEntries,
  readSentEntries,
  type SentEntry,
} from './conversation-entries-statement.ts'
import { receivedAnswer, sentAnswer } from './conversation-entry-answer.ts'
import { sightsOf } from './sights.ts'

/** What was said with one number, the latest first; nothing yet is an empty list. */
export function showConversation({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    params: conversationParams,
    query: showConversationQuery,
    answers: { 200: z.array(conversationEntry) },
    async handle({ principal, params: { number }, query: { limit, cursor }, url }) {
      const place = cursor === undefined ? START : placeOf(cursor)
      const sights = sightsOf(principal)
      const [sent, received] = await Promise.all([
        readSentEntries(database, sights, number, place.sentKey, limit + 1),
        readReceivedEntries(database, sights, number, place.received, limit + 1),
      ])
      const rows = merged(sent, received, limit)
      const isLast = sent.length + received.length <= limit
      const headers = isLast ? {} : linkToNext(url, cursorOf(placeAfter(place, rows)))
      return {
        status: 200,
        body: rows.map((row) => (row.sent ? sentAnswer(row.sent) : receivedAnswer(row.received))),
        headers,
      }
    },
  })
}

/** Each direction is read by itself, from its own place: none is skipped because a clock of the other differs. */
interface Place {
  readonly sentKey: bigint
  readonly received: ReceivedPlace
}

const MOST_KEY = 9_223_372_036_854_775_807n
const START: Place = { sentKey: MOST_KEY, received: { at: new Date('9999-12-31T00:00:00Z'), key: MOST_KEY } }

type Row =
  | { readonly sent: SentEntry; readonly received?: never }
  | { readonly sent?: never; readonly received: ReceivedEntry }

/** The later of the two that are next, again and again: of each direction a beginning is taken. */
function merged(sent: readonly SentEntry[], received: readonly ReceivedEntry[], limit: number): Row[] {
  const rows: Row[] = []
  let [ofSent, ofReceived] = [0, 0]
  while (rows.length < limit) {
    const [out, item] = [sent[ofSent], received[ofReceived]]
    if (out && (!item || out.at >= item.createdAt)) {
      rows.push({ sent: out })
      ofSent += 1
    } else if (item) {
      rows.push({ received: item })
      ofReceived += 1
    } else break
  }
  return rows
}

function placeAfter(before: Place, rows: readonly Row[]): Place {
  const sent = rows.findLast((row) => row.sent)?.sent
  const received = rows.findLast((row) => row.received)?.received
  return {
    sentKey: sent?.key ?? before.sentKey,
    received: received ? { at: received.createdAt, key: received.key } : before.received,
  }
}

function cursorOf({ sentKey, received: { at, key } }: Place): string {
  return Buffer.from(`${sentKey}.${at.getTime()}.${key}`).toString('base64url')
}

function placeOf(cursor: string): Place {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, sentKey = '', time = '', key = ''] = /^(\d{1,19})\.(-?\d{1,15})\.(\d{1,19})$/.exec(text) ?? []
  const at = momentOf(time)
  if (!at || BigInt(sentKey) > MOST_KEY || BigInt(key) > MOST_KEY) throw refusedCursor()
  return { sentKey: BigInt(sentKey), received: { at, key: BigInt(key) } }
}
