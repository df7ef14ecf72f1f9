import { z } from 'zod'
import { sendAttachment } from '../../attachments/send-attachment.ts'
import type { Endpoint, Principal } from '../../http/endpoint.ts'
import { facadeEndpoint } from '../../http/facade/facade-endpoint.ts'
import { mayDo } from '../../http/may-do.ts'
import { withAttachments } from '../../inbox/stored-item.ts'
import type { Database } from '../../store/database.ts'
import { onlyPage, twilio } from './account-endpoints.ts'
import { requireRecord } from './read-messages.ts'
import type { MessageRecord } from './read-records-statement.ts'
import { accountSid, mediaSid, messageSid } from './sid.ts'
import { errorAnswers, notFound } from './twilio-error.ts'
import { API_VERSION, rfc2822 } from './twilio-values.ts'

interface MediaDeps {
  readonly database: Database
}

const messageParams = z.object({ account: z.string(), message: z.string() })
const mediaParams = messageParams.extend({ media: z.string() })

const mediaResource = z.strictObject({
  account_sid: z.string(),
  content_type: z.string(),
  date_created: z.string(),
  date_updated: z.string(),
  parent_sid: z.string(),
  sid: z.string(),
  uri: z.string(),
})

/** Lists the attachments of an MMS. */
export function listMedia({ database }: MediaDeps): Endpoint {
  return facadeEndpoint({
    ...twilio,
    params: messageParams,
    answers: { ...errorAnswers, 200: z.looseObject({ media_list: z.array(mediaResource) }) },
    async handle({ principal, params, url }) {
      const record = await requireRecord(database, principal, params, url, listing(principal))
      const { accountId } = principal
      const media = (await attachmentsOf(database, record)).map((one) => resourceOf(one, record, accountId))
      return { status: 200, body: { ...onlyPage(url.split('?', 1)[0] ?? '', url, media.length), media_list: media } }
    },
  })
}

/** Returns a description of the attachment if the path ends with `.json`, otherwise the attachment itself. */
export function fetchMedia({ database }: MediaDeps): Endpoint {
  return facadeEndpoint({
    ...twilio,
    params: mediaParams,
    answers: { ...errorAnswers, 200: z.unknown() },
    async handle({ principal, params, url, access }) {
      const sid = params.media.replace(/\.json$/, '')
      const isResource = sid !== params.media
      const readable = isResource ? listing(principal) : downloading(principal)
      const record = await requireRecord(database, principal, params, url, readable)
      const found = (await attachmentsOf(database, record)).find((one) => sidOf(record, one) === sid)
      if (found === undefined) throw notFound(url)
      if (isResource) return { status: 200, body: resourceOf(found, record, principal.accountId) }
      return sendAttachment(database, access, { ...found, name: found.name ?? '' })
    },
  })
}

function listing(principal: Principal) {
  return { hasSent: mayDo(principal, 'messages:read'), hasReceived: mayDo(principal, 'inbox:list') }
}

/** The scopes with which our own API returns the octets. */
function downloading(principal: Principal) {
  return { hasSent: mayDo(principal, 'messages:read'), hasReceived: mayDo(principal, 'inbox:read') }
}

type Attachment = Awaited<ReturnType<typeof attachmentsOf>>[number]

async function attachmentsOf(database: Database, { source, key, mediaCount }: MessageRecord) {
  if (mediaCount === 0) return []
  const select = { name: true, size: true, contentType: true } as const
  if (source === 1) {
    const { orderBy } = withAttachments.attachments
    const where = { inboxKey: key }
    const found = await database.inboxAttachment.findMany({ where, select: { ...select, partId: true }, orderBy })
    return found.map(({ partId, ...facts }) => ({ ...facts, part: partId, octets: { inboxKey: key, partId } }))
  }
  const found = await database.messageAttachment.findMany({
    where: { messageKey: key },
    select: { ...select, position: true },
    orderBy: { position: 'asc' },
  })
  return found.map(({ position, ...facts }) => ({ ...facts, part: position, octets: { messageKey: key, position } }))
}

function sidOf({ id }: MessageRecord, { part }: Attachment): string {
  return mediaSid(id, part)
}

function resourceOf(attachment: Attachment, record: MessageRecord, accountId: string): z.output<typeof mediaResource> {
  const [account, message, sid] = [accountSid(accountId), messageSid(record.id), sidOf(record, attachment)]
  return {
    account_sid: account,
    content_type: attachment.contentType,
    date_created: rfc2822(record.createdAt),
    date_updated: rfc2822(record.createdAt),
    parent_sid: message,
    sid,
    uri: `/${API_VERSION}/Accounts/${account}/Messages/${message}/Media/${sid}.json`,
  }
}
