import { messageState, sendMessageQuery, sendMessageRequest } from '@smsgw/contract/messages/message'
import { ENCRYPTED_LENGTH, MOST_MMS_BYTES } from '@smsgw/contract/messages/mms'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { AcceptRequest } from './accept/accept-request.ts'

/** Accepts a message. 202 means that the message is on disk and will reach a final state, even after restarts. */
export function sendMessage(accept: AcceptRequest): Endpoint {
  return endpoint({
    body: sendMessageRequest,
    // The limit is higher than the size of attachments, because base64 and encryption make them longer.
    mostBodyBytes: 262_144 + Math.ceil(MOST_MMS_BYTES * ENCRYPTED_LENGTH),
    largeBodyMember: 'mmsMessage',
    query: sendMessageQuery,
    answers: { 202: messageState },
    errors: [409, 422, 429, 503],
    answerHeaders: {
      Location: 'Path of the message',
      'Idempotency-Replayed':
        '`true` for a repeated request: the first response to this key is sent again, and no new message was accepted',
    },
    requestHeaders: {
      'Idempotency-Key': 'A repeated request with the same key gets the first response again and sends nothing',
    },
    async handle({ principal, body, query, headers, base }) {
      const { message, isRepeated } = await accept({
        principal,
        body,
        query,
        idempotencyKey: headers['idempotency-key'],
      })
      const location = { Location: `${base}/messages/${encodeURIComponent(message.id)}` }
      return {
        status: 202,
        body: message,
        headers: isRepeated ? { ...location, 'Idempotency-Replayed': 'true' } : location,
      }
    },
  })
}
