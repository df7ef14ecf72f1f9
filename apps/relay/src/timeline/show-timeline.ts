import { idParams } from '@smsgw/contract/fields/ids'
import { timeline } from '@smsgw/contract/messages/timeline'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { unknownMessage } from '../messages/read-messages.ts'
import type { Database } from '../store/database.ts'
import { readTimeline } from './read-timeline.ts'
import { timelineEntries } from './timeline-entries.ts'

/** Shows everything that happened to a message, from its acceptance to its last webhook request. */
export function showTimeline({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: timeline },
    isCompressible: true,
    async handle({ principal: { accountId }, params: { id } }) {
      const facts = await readTimeline(database, accountId, id)
      if (!facts) throw unknownMessage()
      return { status: 200, body: { id, entries: timelineEntries(facts) } }
    },
  })
}
