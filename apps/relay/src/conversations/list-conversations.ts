import { type Conversation, conversation, listConversationsQuery } from '@smsgw/contract/inbox/conversation'
import type { Waiting } from '@smsgw/contract/messages/waiting'
import { z } from 'zod'
import type { NumberDeps } from '../core-deps.ts'
import { type Endpoint, endpoint, type Principal } from '../http/endpoint.ts'
import { mayDo, scopeRequired } from '../http/may-do.ts'
import { linkToNext, momentOf, refusedCursor } from '../http/page.ts'
import { decisionsOf } from '../shared-inbox/conversation-details.ts'
import type { ConversationFilter } from '../shared-inbox/conversation-filter.ts'
import { readConversationStates, type StoredState } from '../shared-inbox/read-conversation-states-statement.ts'
import type { Database, Statements } from '../store/database.ts'
import { mayWait, waitingRecipients } from '../waiting/waiting-recipients.ts'
import { findConversations } from './find-conversations.ts'
import type { Span, StoredConversation } from './read-latest-entries-statement.ts'
import { readMatches } from './read-matches.ts'
import { readOpenRecipients } from './read-open-recipients-statement.ts'
import { ConversationSearch, type SearchPage, type SearchPlace } from './search-conversations.ts'
import { type Visibility, visibilityOf } from './visibility.ts'

/** Lists the numbers that messages were exchanged with, latest first. */
export function listConversations({ database, rules }: NumberDeps): Endpoint {
  const searching = new ConversationSearch(database, rules)
  return endpoint({
    query: listConversationsQuery,
    answers: { 200: z.array(conversation) },
    answerHeaders: {
      'X-Searched-Since':
        'Present if the search did not reach the oldest messages: the time since which it has searched',
    },
    errors: [503],
    async handle({ principal, query: { limit, cursor, q, ...filter }, url }) {
      refuseHiddenFilter(principal, filter)
      const search = q?.trim() || undefined
      const visibility = visibilityOf(principal)
      const list = { filter, limit, cursor }
      const { rows, next, searched } =
        search === undefined
          ? await listPage(database, visibility, list)
          : await searchPage(searching, visibility, { ...list, search })
      const headers = {
        ...(next !== undefined && linkToNext(url, next)),
        ...(searched?.since && { 'X-Searched-Since': searched.since.toISOString() }),
      }
      const states = await readConversationStates(
        database,
        principal.accountId,
        rows.map(({ number }) => number),
      )
      const waits = await lastWaits(database, principal.accountId, rows)
      const matches = searched && (await readMatches(database, visibility, rows, searched.messageIds, searched.search))
      const body = rows.map((row) => ({
        ...conversationAnswer(row),
        ...stateAnswer(principal, states.get(row.number)),
        ...(waits.has(row.number) && { lastWaiting: waits.get(row.number) }),
        ...(matches?.has(row.number) && { match: matches.get(row.number) }),
      }))
      return { status: 200, body, headers }
    },
  })
}

interface ListedPage {
  readonly rows: readonly StoredConversation[]
  /** Cursor of the next page. */
  readonly next: string | undefined
  readonly searched?: Pick<SearchPage, 'messageIds' | 'since'> & { readonly search: string }
}

interface Listing {
  readonly filter: ConversationFilter
  readonly limit: number
  readonly cursor: string | undefined
}

async function listPage(
  database: Database,
  visibility: Visibility,
  { filter, limit, cursor }: Listing,
): Promise<ListedPage> {
  const before = cursor === undefined ? undefined : placeOf(cursor).before
  const found = await findConversations(database, visibility, { before, among: undefined, filter, take: limit + 1 })
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1) : undefined
  return { rows, next: last && cursorOf(last) }
}

async function searchPage(
  searching: ConversationSearch,
  visibility: Visibility,
  { filter, limit, cursor, search }: Listing & { readonly search: string },
): Promise<ListedPage> {
  const place = cursor === undefined ? undefined : placeOf(cursor)
  const found = await searching.find(visibility, { text: search, filter, place, limit })
  return {
    rows: found.conversations,
    next: found.next && cursorOf(found.next.before, found.next.by),
    searched: { ...found, search },
  }
}

/** Returns the reasons why the last messages wait, by the number of the conversation. */
async function lastWaits(
  statements: Statements,
  accountId: string,
  rows: readonly StoredConversation[],
): Promise<ReadonlyMap<string, Waiting>> {
  const open = rows.filter(({ state }) => state !== null && mayWait(state))
  if (open.length === 0) return new Map()
  const recipients = await readOpenRecipients(statements, accountId, open)
  const waiting = await waitingRecipients(statements, accountId, recipients)
  return new Map(
    recipients.flatMap(({ number, cmdId }) => {
      const its = waiting.get(cmdId)
      return its === undefined ? [] : [[number, its] as const]
    }),
  )
}

/** Refuses a filter by data that the caller may not read, because the filter would reveal this data. */
function refuseHiddenFilter(principal: Principal, { folder, label, assignee, unread }: ConversationFilter): void {
  const isAboutDecisions = (folder ?? label ?? assignee) !== undefined
  if (isAboutDecisions && !mayDo(principal, 'conversations:read')) throw scopeRequired('conversations:read')
  if (unread !== undefined && !mayDo(principal, 'inbox:list')) throw scopeRequired('inbox:list')
}

function stateAnswer(principal: Principal, state: StoredState | undefined) {
  return {
    ...(mayDo(principal, 'inbox:list') && { unread: state?.unread ?? 0 }),
    ...(mayDo(principal, 'conversations:read') && { ...decisionsOf(state), notes: state?.notes ?? 0 }),
  }
}

function cursorOf({ at, number }: Span['before'], by: SearchPlace['by'] = 'number'): string {
  const mark = by === 'text' ? 't' : ''
  return Buffer.from(`${mark}${at.getTime()}.${number}`).toString('base64url')
}

function placeOf(cursor: string): SearchPlace {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, mark, time = '', number = ''] = /^(t?)(-?\d{1,15})\.([^\0]*)$/s.exec(text) ?? []
  const at = momentOf(time)
  if (!at || (number === '' && mark === '')) throw refusedCursor()
  return { by: mark === 't' ? 'text' : 'number', before: { at, number } }
}

function conversationAnswer(stored: StoredConversation): Conversation {
  return {
    number: stored.number,
    lastAt: stored.at.toISOString(),
    lastText: previewOf(stored),
    lastDirection: stored.direction,
    ...(stored.state !== null && { lastState: stored.state }),
    lastMessageId: stored.id,
  }
}

function previewOf({ text, octets, port, type, subject, isEncrypted, isHashed }: StoredConversation): string {
  if (isHashed) return 'content no longer kept'
  if (isEncrypted) return 'encrypted message'
  if (text !== null) return text
  if (octets !== null) return `data: ${octets} octets${port === null ? '' : ` for port ${port}`}`
  if (type?.startsWith('MMS')) return subject === null ? 'MMS' : `MMS: ${subject}`
  return ''
}
