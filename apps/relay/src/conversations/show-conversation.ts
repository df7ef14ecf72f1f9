import {
  type ConversationEntry,
  conversationEntry,
  conversationParams,
  showConversationQuery,
} from '@smsgw/contract/conversation'
import type { Waiting } from '@smsgw/contract/waiting'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { linkToNext, momentOf, refusedCursor } from '../http/page.ts'
import { inboxItemAnswer } from '../inbox/stored-item.ts'
import type { MessageRules } from '../messages/accept/check-message.ts'
import { storedSpellings } from '../messages/accept/phone-number.ts'
import { dataOfOctets } from '../messages/message-data.ts'
import type { Database } from '../store/database.ts'
import { waitingRecipients } from '../waiting/waiting-recipients.ts'
import {
  type ReceivedEntry,
  type ReceivedPlace,
  readReceivedEntries,
  readSentEntries,
  type SentEntry,
} from './read-entries-statement.ts'
import { type Visibility, visibilityOf } from './visibility.ts'

interface ShowConversationDeps {
  readonly database: Database
  readonly rules: Pick<MessageRules, 'defaultRegion'>
}

/** Lists the messages exchanged with one number, latest first. Without messages the list is empty. */
export function showConversation({ database, rules }: ShowConversationDeps): Endpoint {
  return endpoint({
    params: conversationParams,
    query: showConversationQuery,
    answers: { 200: z.array(conversationEntry) },
    async handle({ principal, params, query: { limit, cursor }, url }) {
      const place = cursor === undefined ? START : placeOf(cursor)
      const visibility = visibilityOf(principal)
      const number = await storedNumber(database, visibility, storedSpellings(params.number, rules.defaultRegion))
      const [sent, received] = await Promise.all([
        readSentEntries(database, visibility, number, place.sentKey, limit + 1),
        readReceivedEntries(database, visibility, number, place.received, limit + 1),
      ])
      const rows = merged(sent, received, limit)
      const isLast = sent.length + received.length <= limit
      const headers = isLast ? {} : linkToNext(url, cursorOf(placeAfter(place, rows)))
      const waiting = await waitingRecipients(
        database,
        principal.accountId,
        rows.flatMap(({ sent }) =>
          sent === undefined ? [] : [{ ...sent, simNumber: sent.requestedSimNumber, createdAt: sent.at }],
        ),
      )
      const body = rows.map((row) =>
        row.sent ? sentAnswer(row.sent, waiting.get(row.sent.cmdId)) : receivedAnswer(row.received),
      )
      return { status: 200, body, headers }
    },
  })
}

/** Returns the number as written if it has messages, otherwise in its normalised spelling. */
async function storedNumber(
  database: Database,
  { accountId }: Visibility,
  [asWritten = '', normalised]: readonly string[],
): Promise<string> {
  if (normalised === undefined) return asWritten
  const [sent, received] = await Promise.all([
    database.recipient.findFirst({ where: { accountId, phoneNumber: asWritten }, select: { cmdId: true } }),
    database.inboxItem.findFirst({ where: { accountId, sender: asWritten }, select: { id: true } }),
  ])
  return (sent ?? received) ? asWritten : normalised
}

/** Each direction has its own position, so that no message is skipped when their clocks differ. */
interface Place {
  readonly sentKey: bigint
  readonly received: ReceivedPlace
}

const MOST_KEY = 9_223_372_036_854_775_807n
const START: Place = { sentKey: MOST_KEY, received: { at: new Date('9999-12-31T00:00:00Z'), key: MOST_KEY } }

type Row =
  | { readonly sent: SentEntry; readonly received?: never }
  | { readonly sent?: never; readonly received: ReceivedEntry }

/** Merges both directions, latest first. */
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

function sentAnswer(sent: SentEntry, waiting: Waiting | undefined): ConversationEntry {
  return {
    direction: 'out',
    id: sent.id,
    at: sent.at.toISOString(),
    ...(sent.text !== null && { text: sent.text }),
    ...(sent.data !== null && { data: dataOfOctets(sent.data, sent.isEncrypted), port: sent.port ?? 0 }),
    ...(sent.isHashed && { isHashed: true }),
    ...(sent.isEncrypted && { isEncrypted: true }),
    state: sent.state,
    ...(sent.error !== null && { error: sent.error }),
    ...(waiting !== undefined && { waiting }),
    ...(sent.possibleDuplicate && { possibleDuplicate: true }),
    recipientsCount: sent.recipientsCount,
    ...(sent.scheduleAt !== null && { scheduleAt: sent.scheduleAt.toISOString() }),
    ...(sent.simNumber !== null && { simNumber: sent.simNumber }),
    ...(sent.partsCount !== null && { partsCount: sent.partsCount }),
    deviceId: sent.deviceId,
  }
}

function receivedAnswer(received: ReceivedEntry): ConversationEntry {
  const { id, createdAt: at, type, text, data, port, subject, simNumber, deviceId } = inboxItemAnswer(received)
  return {
    direction: 'in',
    id,
    at,
    type,
    ...(text !== undefined && { text }),
    ...(data !== undefined && { data }),
    ...(port !== undefined && { port }),
    ...(subject !== undefined && { subject }),
    ...(simNumber !== undefined && { simNumber }),
    deviceId,
  }
}
