import { z } from 'zod'
import type { CoreDeps } from '../core-deps.ts'
import { octetsOf } from '../http/body/octet-pieces.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import type { NewAttachment, Received } from '../inbox/insert-received-statement.ts'
import { storeUploaded } from '../inbox/store-received.ts'
import { FairQueue } from '../limits/fair-queue.ts'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import type { Logbook } from '../logs/logbook.ts'
import { derivedEventId } from '../webhooks/outbox/event-id.ts'
import { phoneOf } from './authenticate-phone.ts'
import { type UploadedMessage, uploadedAttachment, uploadedMessage } from './mobile-bodies.ts'
import { UnreadableMembers } from './unreadable-members.ts'

interface UploadInboxDeps extends Pick<CoreDeps, 'database' | 'clock' | 'logbook'> {
  readonly outbox: { wake(): void }
}

/**
 * The largest upload in bytes. 500 texts have at most a few hundred KiB. A picture of an MMS has at most a few MiB, and
 * a third more in base64.
 */
export const MOST_BODY_BYTES = 16 * 1024 * 1024
const MOST_ATTACHMENT_BYTES = 8 * 1024 * 1024
const MOST_MESSAGES = 500
/** Messages per transaction. */
const AT_ONCE = 50

/**
 * Stores messages that a phone received, and notifies webhooks. A message that was uploaded before is stored once, so
 * the phone may repeat an upload. A message that cannot be read is logged and skipped, so that the phone does not
 * repeat it forever.
 */
export function uploadInbox({ database, clock, logbook, outbox }: UploadInboxDeps): Endpoint {
  const transfers = new FairQueue(TRANSFERS)
  return endpoint({
    body: z.array(z.unknown()).max(MOST_MESSAGES),
    documentedBody: z
      .array(uploadedMessage.meta({ id: 'UploadedMessage' }))
      .max(MOST_MESSAGES)
      .meta({ id: 'UploadInboxRequest' }),
    mostBodyBytes: MOST_BODY_BYTES,
    answers: { 201: null },
    async handle({ principal, body }) {
      const phone = phoneOf(principal)
      const device = { id: phone.deviceId, accountId: phone.accountId }
      const messages: Received[] = []
      const unreadable = new UnreadableMembers(phone)
      for (const one of body) {
        const read = uploadedMessage.safeParse(one)
        if (read.success) messages.push(withStorable(logbook, phone, receivedOf(unreadable, phone, read.data)))
        else unreadable.add({ module: 'inbox', what: 'ignored a received message' }, read.error.issues)
      }
      unreadable.writeTo(logbook)
      for (let from = 0; from < messages.length; from += AT_ONCE) {
        const some = messages.slice(from, from + AT_ONCE)
        const store = () =>
          database.$transaction(
            async (statements) => {
              for (const received of some) await storeUploaded(statements, device, received, clock.now())
              return 'stored' as const
            },
            { timeout: LONGEST_MS },
          )
        const stored = await (some.some(hasAttachments) ? transfers.run(phone.accountId, store) : store())
        if (stored === undefined)
          throw new ApiError(503, 'Too many attachments are being stored: try again in a few seconds', {
            headers: { 'Retry-After': '5' },
          })
      }
      outbox.wake()
      return { status: 201 }
    },
  })
}

const LONGEST_MS = 20_000

/** Sending an attachment to the database needs additional memory of about twice its size, so few are sent at a time. */
const TRANSFERS = { slots: 2, places: 200 }

function hasAttachments(received: Received): boolean {
  return received.type === 'MMS_DOWNLOADED' && received.attachments.length > 0
}

/**
 * Returns a received message. A message id is unique only on its phone, so the id of the item is derived from the
 * device and the message id.
 */
function receivedOf(unreadable: UnreadableMembers, phone: AgentConnection, uploaded: UploadedMessage): Received {
  const { id, createdAt: receivedAt, sender, recipient, simNumber, isEncrypted, content } = uploaded
  const facts = { id: derivedEventId([phone.deviceId, id]), receivedAt, sender, recipient, simNumber, isEncrypted }
  switch (uploaded.type) {
    case 'SMS':
      return { type: 'SMS', ...facts, text: content }
    case 'DATA_SMS':
      return { type: 'DATA_SMS', ...facts, data: isEncrypted ? Buffer.from(content).toString('base64') : content }
    case 'MMS': {
      const notification = { transactionId: '', size: 0, contentClass: '' }
      return { type: 'MMS', ...facts, ...notification, ...(content !== '' && { subject: content.slice(0, 1_024) }) }
    }
    case 'MMS_DOWNLOADED':
      return { type: 'MMS_DOWNLOADED', ...facts, text: content, attachments: attachmentsOf(unreadable, uploaded) }
  }
}

/**
 * Leaves out invalid attachments, and attachments that the phone has not downloaded yet. The phone uploads the message
 * again after the download.
 */
function attachmentsOf(unreadable: UnreadableMembers, { attachments = [] }: UploadedMessage): NewAttachment[] {
  return attachments.flatMap((one) => {
    const read = uploadedAttachment.safeParse(one)
    if (!read.success) {
      unreadable.add({ module: 'inbox', what: 'ignored an attachment of a received message' }, read.error.issues)
      return []
    }
    const { partId, name = '', contentType, data } = read.data
    if (data === undefined) return []
    return [{ partId, name, contentType, octets: octetsOf(data) }]
  })
}

/** Leaves out attachments that are too large, so that the phone does not repeat the message forever. */
function withStorable(logbook: Logbook, { accountId, deviceId }: AgentConnection, received: Received): Received {
  if (received.type !== 'MMS_DOWNLOADED') return received
  const [stored, tooLarge] = [false, true].map((isTooLarge) =>
    received.attachments.filter(({ octets }) => octets.size > MOST_ATTACHMENT_BYTES === isTooLarge),
  )
  for (const { partId, octets } of tooLarge ?? [])
    logbook.write({
      ...{ accountId, deviceId, module: 'inbox', priority: 'WARN' },
      message: `left out an attachment of a received message, because the attachment is larger than ${MOST_ATTACHMENT_BYTES / 1_048_576} MiB`,
      context: { messageId: received.id, partId: String(partId), bytes: String(octets.size) },
    })
  return { ...received, attachments: stored ?? [] }
}
