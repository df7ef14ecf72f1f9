import { idParams } from '@smsgw/contract/ids'
import { timeline } from '@smsgw/contract/timeline'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { unknownMessage } from '../messages/get-message.ts'
import type { Database } from '../store/database.ts'
import { timelineEntries } from './timeline-entries.ts'
import { readTimeline } from './timeline-facts.ts'

/** Everything that happened to one message, from its acceptance to the last webhook that was told. */
export function showTimeline({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: timeline },
    async handle({ principal: { accountId }, params: { id } }) {
      const facts = await readTimeline(database, accountId, id)
      if (!facts) throw unknownMessage()
      return { status: 200, body: { id, entries: timelineEntries(facts) } }
    },
  })
}
