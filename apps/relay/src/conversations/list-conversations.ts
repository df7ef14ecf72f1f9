import { conversation, listConversationsQuery } from '@smsgw/contract/conversation'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { linkToNext, momentOf, refusedCursor } from '../http/page.ts'
import type { Database } from '../store/database.ts'
import { conversationAnswer } from './conversation-answer.ts'
import { findConversations } from './find-conversations.ts'
import type { Span } from './latest-entries-statement.ts'
import { ConversationSearch } from './search-conversations.ts'
import { sightsOf } from './sights.ts'

/** Whom was written to and who wrote, the latest first. */
export function listConversations({ database }: { readonly database: Database }): Endpoint {
  const searching = new ConversationSearch(database)
  return endpoint({
    query: listConversationsQuery,
    answers: { 200: z.array(conversation) },
    errors: [503],
    async handle({ principal, query: { limit, cursor, q }, url }) {
      const before = cursor === undefined ? undefined : placeOf(cursor)
      const search = q?.trim() || undefined
      const sights = sightsOf(principal)
      const matching = search === undefined ? undefined : await searching.find(sights, search)
      const found = await findConversations(database, sights, { before, among: matching?.numbers, take: limit + 1 })
      const rows = found.slice(0, limit)
      const last = found.length > limit ? rows.at(-1) : undefined
      const since = matching?.since?.toISOString()
      const headers = {
        ...(last && linkToNext(url, cursorOf(last))),
        ...(since !== undefined && { 'X-Searched-Since': since }),
      }
      return { status: 200, body: rows.map(conversationAnswer), headers }
    },
  })
}

function cursorOf({ at, number }: Span['before']): string {
  return Buffer.from(`${at.getTime()}.${number}`).toString('base64url')
}

function placeOf(cursor: string): Span['before'] {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, time = '', number = ''] = /^(-?\d{1,15})\.([^\0]+)$/s.exec(text) ?? []
  const at = momentOf(time)
  if (!at) throw refusedCursor()
  return { at, number }
}
