import type { CoreDeps } from '../../core-deps.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import type { AcceptRequest } from '../../messages/accept/accept-request.ts'
import { ReplyLimitError } from '../../messages/accept/key-limits.ts'
import type { AttemptDeps } from '../../webhooks/delivery/attempt-delivery.ts'
import { derivedEventId } from '../../webhooks/outbox/event-id.ts'
import { sendFacadeText } from '../send-text.ts'
import { readTwiml } from './read-twiml.ts'

interface ReplyDeps extends Pick<CoreDeps, 'database' | 'logbook'> {
  readonly accept: AcceptRequest
}

/**
 * Sends the replies that a receiver gave to a received message, through the SIM that received it. The idempotency key
 * of a reply contains the id of the received message. If the event is delivered again, no second reply is sent, even if
 * the receiver then answers with another text.
 */
export function replyToReceived({ database, accept, logbook }: ReplyDeps): AttemptDeps['reply'] {
  return async ({ accountId, webhookId, messageId }, { contentType, excerpt }) => {
    // The sample event of a webhook test is about a message that does not exist.
    const received = await database.inboxItem.findUnique({ where: { accountId_id: { accountId, id: messageId } } })
    if (received === null) return undefined
    const { deviceId, sender, simNumber } = received
    const warn = (message: string) =>
      logbook.write({ accountId, module: 'webhooks', priority: 'WARN', message, context: { webhookId, messageId } })
    const { replies, problems } = readTwiml(contentType, excerpt, sender)
    for (const problem of problems) warn(`answer to a received message: ${problem}`)
    const { username } = await database.account.findUniqueOrThrow({ where: { id: accountId } })
    const principal = { accountId, username, scopes: new Set(['messages:send'] as const), webhookId }
    let refusal: string | undefined
    for (const [index, text] of replies.entries()) {
      const idempotencyKey = `reply-${derivedEventId([messageId, String(index)])}`
      const sim = { deviceId, ...(simNumber !== null && simNumber > 0 && { simNumber }) }
      try {
        // The identity does not contain the text of the reply, because an earlier attempt may have been answered with
        // another text.
        const identity = messageId
        const content = { phoneNumbers: [sender], text, isReply: true }
        await sendFacadeText(accept, { principal, ...content, ...sim, idempotencyKey, identity })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const message = `reply to a received message not sent: ${error.message}`
        if (error instanceof ReplyLimitError) refusal = message
        warn(message)
      }
    }
    return refusal
  }
}
