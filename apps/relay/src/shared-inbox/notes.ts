import { conversationParams } from '@smsgw/contract/inbox/conversation'
import { createNoteRequest, type Note, note, noteParams } from '@smsgw/contract/inbox/shared-inbox'
import { storedNumber } from '../conversations/stored-number.ts'
import type { CoreDeps, NumberDeps } from '../core-deps.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { newId } from '../random.ts'
import type { ConversationNote } from '../store/generated/client.ts'
import { addState } from './change-state-statement.ts'
import { requireMessages } from './require-messages.ts'

type NoteDeps = NumberDeps & Pick<CoreDeps, 'clock' | 'random'>

const MOST_NOTES = 500

/** Adds a note to a conversation. */
export function createNote({ database, rules, clock, random }: NoteDeps): Endpoint {
  return endpoint({
    params: conversationParams,
    body: createNoteRequest,
    answers: { 201: note },
    errors: [404, 409],
    async handle({ principal: { accountId, username }, params, body: { text } }) {
      const number = await storedNumber(database, accountId, params.number, rules)
      await requireMessages(database, accountId, number)
      if ((await database.conversationNote.count({ where: { accountId, number } })) >= MOST_NOTES)
        throw new ApiError(409, `The conversation has ${MOST_NOTES} notes, the maximum: delete one`, {
          reason: 'too_many_notes',
          values: { maximum: MOST_NOTES },
        })
      const data = { id: newId(random), accountId, number, text, author: username, createdAt: clock.now() }
      const stored = await database.$transaction(async (statements) => {
        await addState(statements, accountId, number)
        return await statements.conversationNote.create({ data })
      })
      return { status: 201, body: noteAnswer(stored) }
    },
  })
}

export function deleteNote({ database, rules }: NoteDeps): Endpoint {
  return endpoint({
    params: noteParams,
    answers: { 204: null },
    async handle({ principal: { accountId }, params }) {
      const number = await storedNumber(database, accountId, params.number, rules)
      const { count } = await database.conversationNote.deleteMany({ where: { accountId, number, id: params.id } })
      if (count === 0) throw new ApiError(404, 'No note of this conversation has this id')
      return { status: 204 }
    },
  })
}

export function noteAnswer({ id, text, author, createdAt }: ConversationNote): Note {
  return { id, text, author, createdAt: createdAt.toISOString() }
}
