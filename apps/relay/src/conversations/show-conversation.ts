import {
  type ConversationEntry,
  conversationEntry,
  conversationParams,
  showConversationQuery,
} from '@smsgw/contract/inbox/conversation'
import type { Waiting } from '@smsgw/contract/messages/waiting'
import { z } from 'zod'
import type { NumberDeps } from '../core-deps.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { linksTo, momentOf, refusedCursor } from '../http/page.ts'
import { inboxItemAnswer, type StoredAttachment, withAttachments } from '../inbox/stored-item.ts'
import { findLastKey } from '../messages/by-number/find-last-key-statement.ts'
import { dataOfOctets } from '../messages/message-data.ts'
import { networkCauseOf } from '../messages/network-cause-of-error.ts'
import type { Database, Statements } from '../store/database.ts'
import { waitingRecipients } from '../waiting/waiting-recipients.ts'
import { type EntryPlace, findEntry } from './find-entry.ts'
import {
  type PageSide,
  type ReceivedEntry,
  type ReceivedPlace,
  readReceivedEntries,
  readSentEntries,
  type SentEntry,
} from './read-entries-statement.ts'
import { storedNumber } from './stored-number.ts'
import { type Visibility, visibilityOf } from './visibility.ts'

/**
 * Lists the messages exchanged with one number, latest first. Without messages the list is empty. With `around`, half
 * of the page is newer than the given message.
 */
export function showConversation({ database, rules }: NumberDeps): Endpoint {
  return endpoint({
    params: conversationParams,
    query: showConversationQuery,
    answers: { 200: z.array(conversationEntry) },
    errors: [404],
    async handle({ principal, params, query, url }) {
      const visibility = visibilityOf(principal)
      const number = await storedNumber(database, principal.accountId, params.number, rules)
      const { rows, next, prev } = await readPage(database, visibility, number, query)
      const waiting = await waitingRecipients(
        database,
        principal.accountId,
        rows.flatMap(({ sent }) =>
          sent === undefined ? [] : [{ ...sent, simNumber: sent.requestedSimNumber, createdAt: sent.at }],
        ),
      )
      const attachments = await attachmentsOf(database, rows)
      const body = rows.map((row) =>
        row.sent
          ? sentAnswer(row.sent, waiting.get(row.sent.cmdId))
          : receivedAnswer(row.received, attachments.get(row.received.key)),
      )
      const headers = linksTo(url, {
        ...(next && { next: cursorOf('older', next) }),
        ...(prev && { prev: cursorOf('newer', prev) }),
      })
      return { status: 200, body, headers }
    },
  })
}

/** Reads the attachments of received messages. Only downloaded MMS have some. */
async function attachmentsOf(database: Database, rows: readonly Row[]): Promise<Map<bigint, StoredAttachment[]>> {
  const keys = rows.flatMap(({ received }) => (received?.type === 'MMS_DOWNLOADED' ? [received.key] : []))
  if (keys.length === 0) return new Map()
  const { select, orderBy } = withAttachments.attachments
  const found = await database.inboxAttachment.findMany({
    where: { inboxKey: { in: keys } },
    select: { ...select, inboxKey: true },
    orderBy,
  })
  return Map.groupBy(found, ({ inboxKey }) => inboxKey)
}

/**
 * The entries of a page, latest first, and the positions at which the next older and newer pages begin, if there are
 * more entries.
 */
interface Part {
  readonly rows: readonly Row[]
  readonly next?: Place | undefined
  readonly prev?: Place | undefined
}

async function readPage(
  statements: Statements,
  visibility: Visibility,
  number: string,
  { limit, cursor, around }: { limit: number; cursor?: string | undefined; around?: string | undefined },
): Promise<Part> {
  const read = (place: Place, reading: PageSide) => readSide(statements, visibility, number, place, reading)
  if (cursor !== undefined) {
    const { side, place } = placeOf(cursor)
    return await read(place, { side, take: limit })
  }
  if (around === undefined) return await read(START, { side: 'older', take: limit })
  const entry = await findEntry(statements, visibility, number, around)
  if (entry === undefined) throw new ApiError(404, 'The conversation contains no message with this id')
  const cut = await cutAfter(statements, visibility, number, entry)
  const newer = await read(cut, { side: 'newer', take: Math.floor(limit / 2) })
  const older = await read(cut, { side: 'older', take: limit - newer.rows.length })
  return { rows: [...newer.rows, ...older.rows], next: older.next, prev: newer.prev }
}

/** Reads the entries on one side of a position, older or newer. */
async function readSide(
  statements: Statements,
  visibility: Visibility,
  number: string,
  place: Place,
  { side, take }: PageSide,
): Promise<Part> {
  const reading = { side, take: take + 1 }
  const [sent, received] = await Promise.all([
    readSentEntries(statements, visibility, number, place.sentKey, reading),
    readReceivedEntries(statements, visibility, number, place.received, reading),
  ])
  const rows = merged(sent, received, side, take)
  const isLast = sent.length + received.length <= take
  if (side === 'older') return { rows, next: isLast ? undefined : placeAfter(place, rows) }
  return { rows: rows.toReversed(), prev: isLast ? undefined : placeBeyond(place, rows) }
}

/**
 * The position that divides the entries of a conversation into older and newer ones. It contains one key for each
 * direction, so that no message is skipped if the clocks of two relays differ.
 */
interface Place {
  readonly sentKey: bigint
  readonly received: ReceivedPlace
}

const MOST_KEY = 9_223_372_036_854_775_807n
const START: Place = { sentKey: MOST_KEY, received: { at: new Date('9999-12-31T00:00:00Z'), key: MOST_KEY } }

/**
 * Returns a position just newer than an entry, so that a page of older entries begins with this entry. Of two entries
 * with the same time, the sent message counts as newer.
 */
async function cutAfter(
  statements: Statements,
  { accountId, sent }: Visibility,
  number: string,
  { direction, key, at }: EntryPlace,
): Promise<Place> {
  if (direction === 'out') return { sentKey: key + 1n, received: { at, key: MOST_KEY } }
  const earlier = sent ? await findLastKey(statements, accountId, number, { createdBefore: at }) : undefined
  return { sentKey: (earlier ?? -1n) + 1n, received: { at, key: key + 1n } }
}

type Row =
  | { readonly sent: SentEntry; readonly received?: never }
  | { readonly sent?: never; readonly received: ReceivedEntry }

/** Merges both directions. Older entries are merged latest first, newer entries earliest first. */
function merged(
  sent: readonly SentEntry[],
  received: readonly ReceivedEntry[],
  side: PageSide['side'],
  limit: number,
): Row[] {
  const rows: Row[] = []
  let [ofSent, ofReceived] = [0, 0]
  while (rows.length < limit) {
    const [out, item] = [sent[ofSent], received[ofReceived]]
    const isSentNewer = out !== undefined && item !== undefined && out.at >= item.createdAt
    if (out && (!item || isSentNewer === (side === 'older'))) {
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

/** Returns the position after the last of the newer rows, which are in ascending order. */
function placeBeyond(before: Place, rows: readonly Row[]): Place {
  const { sentKey, received } = placeAfter(before, rows)
  return {
    sentKey: rows.some((row) => row.sent) ? sentKey + 1n : sentKey,
    received: rows.some((row) => row.received) ? { ...received, key: received.key + 1n } : received,
  }
}

function cursorOf(side: PageSide['side'], { sentKey, received: { at, key } }: Place): string {
  const mark = side === 'newer' ? 'n' : ''
  return Buffer.from(`${mark}${sentKey}.${at.getTime()}.${key}`).toString('base64url')
}

function placeOf(cursor: string): { readonly side: PageSide['side']; readonly place: Place } {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, mark, sentKey = '', time = '', key = ''] = /^(n?)(\d{1,19})\.(-?\d{1,15})\.(\d{1,19})$/.exec(text) ?? []
  const at = momentOf(time)
  if (!at || BigInt(sentKey) > MOST_KEY || BigInt(key) > MOST_KEY) throw refusedCursor()
  return {
    side: mark === 'n' ? 'newer' : 'older',
    place: { sentKey: BigInt(sentKey), received: { at, key: BigInt(key) } },
  }
}

function sentAnswer(sent: SentEntry, waiting: Waiting | undefined): ConversationEntry {
  return {
    direction: 'out',
    id: sent.id,
    at: sent.at.toISOString(),
    ...(sent.text !== null && { text: sent.text }),
    ...(sent.data !== null && { data: dataOfOctets(sent.data, sent.isEncrypted), port: sent.port ?? 0 }),
    ...(sent.mms?.subject !== undefined && { subject: sent.mms.subject }),
    ...(sent.mms !== null &&
      !sent.isHashed && {
        attachments: (sent.attachments ?? []).map((one) => ({ ...one, name: one.name ?? '' })),
      }),
    ...(sent.isHashed && { isHashed: true }),
    ...(sent.isEncrypted && { isEncrypted: true }),
    state: sent.state,
    ...(sent.error !== null && { error: sent.error }),
    ...(sent.state === 'Failed' && sent.errorCode !== null && { errorCode: sent.errorCode }),
    ...networkCauseOf(sent),
    ...(waiting !== undefined && { waiting }),
    ...(sent.possibleDuplicate && { possibleDuplicate: true }),
    recipientsCount: sent.recipientsCount,
    ...(sent.scheduleAt !== null && { scheduleAt: sent.scheduleAt.toISOString() }),
    ...(sent.simNumber !== null && { simNumber: sent.simNumber }),
    ...(sent.partsCount !== null && { partsCount: sent.partsCount }),
    deviceId: sent.deviceId,
  }
}

function receivedAnswer(received: ReceivedEntry, stored: readonly StoredAttachment[] | undefined): ConversationEntry {
  const item = inboxItemAnswer({ ...received, ...(stored && { attachments: stored }) })
  const { id, createdAt: at, type, text, data, port, subject, attachments, simNumber, deviceId } = item
  return {
    direction: 'in',
    id,
    at,
    type,
    ...(text !== undefined && { text }),
    ...(data !== undefined && { data }),
    ...(port !== undefined && { port }),
    ...(subject !== undefined && { subject }),
    ...(attachments !== undefined && { attachments }),
    ...(received.isEncrypted && { isEncrypted: true }),
    ...(received.isUnread && { isUnread: true }),
    ...(simNumber !== undefined && { simNumber }),
    deviceId,
  }
}
