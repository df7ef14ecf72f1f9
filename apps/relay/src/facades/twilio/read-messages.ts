import { z } from 'zod'
import type { CoreDeps, NumberDeps } from '../../core-deps.ts'
import type { Endpoint, Principal } from '../../http/endpoint.ts'
import type { FacadeParameters } from '../../http/facade/facade.ts'
import { facadeEndpoint } from '../../http/facade/facade-endpoint.ts'
import { mayDo } from '../../http/may-do.ts'
import { storedSpellings } from '../../messages/accept/phone-number.ts'
import type { Database } from '../../store/database.ts'
import { requireAccount, twilio } from './account-endpoints.ts'
import { filledParameter, integerParameter, timeParameter } from './form-parameters.ts'
import { messageResource, resourceOf } from './message-resource.ts'
import {
  findRecord,
  type MessageRecord,
  type RecordFilter,
  type RecordPlace,
  readRecords,
} from './read-records-statement.ts'
import { accountSid, idOfSid } from './sid.ts'
import { errorAnswers, notFound, TwilioError } from './twilio-error.ts'
import { API_VERSION } from './twilio-values.ts'

type ReadMessagesDeps = NumberDeps & Pick<CoreDeps, 'clock'>

const messageParams = z.object({ account: z.string(), message: z.string() })

export function fetchMessage({ database, clock }: ReadMessagesDeps): Endpoint {
  return facadeEndpoint({
    ...twilio,
    params: messageParams,
    answers: { ...errorAnswers, 200: messageResource },
    async handle({ principal, params, url }) {
      const record = await requireRecord(database, principal, params, url)
      return { status: 200, body: resourceOf(readableOf(record, principal), principal.accountId, clock.now()) }
    },
  })
}

/** Finds the message that the path names. Throws 404 if the account has none, or the caller may not read it. */
export async function requireRecord(
  database: Database,
  principal: Principal,
  { account, message }: z.output<typeof messageParams>,
  url: string,
  readable: Readable = defaultReadable(principal),
): Promise<MessageRecord> {
  requireAccount(principal, account, url)
  const id = idOfSid(message.replace(/\.json$/, ''), 'SM')
  const record = id && (await findRecord(database, principal.accountId, id, readable))
  if (!record) throw notFound(url)
  return record
}

type Readable = Pick<RecordFilter, 'hasSent' | 'hasReceived'>

function defaultReadable(principal: Principal): Readable {
  return {
    hasSent: mayDo(principal, 'messages:read') || mayDo(principal, 'messages:cancel'),
    hasReceived: mayDo(principal, 'inbox:list'),
  }
}

/** Returns the record without the text of a sent message if the caller may only cancel messages. */
export function readableOf(record: MessageRecord, principal: Principal): MessageRecord {
  return record.source === 1 || mayDo(principal, 'messages:read') ? record : { ...record, text: null }
}

const messagePage = z.strictObject({
  end: z.int(),
  first_page_uri: z.string(),
  messages: z.array(messageResource),
  next_page_uri: z.string().nullable(),
  page: z.int(),
  page_size: z.int(),
  previous_page_uri: z.null(),
  start: z.int(),
  uri: z.string(),
})

const PAGE_SIZE = 50
const LARGEST_PAGE = 1000

/** Lists sent and received messages, newest first. */
export function listTwilioMessages({ database, clock, rules }: ReadMessagesDeps): Endpoint {
  return facadeEndpoint({
    ...twilio,
    params: z.object({ account: z.string() }),
    answers: { ...errorAnswers, 200: messagePage },
    async handle({ principal, params, body: { query }, url }) {
      requireAccount(principal, params.account, url)
      const size = integerParameter(query, 'PageSize', { least: 1, most: LARGEST_PAGE }) ?? PAGE_SIZE
      const page = integerParameter(query, 'Page', { least: 0, most: 999_999_999 }) ?? 0
      const after = placeOf(filledParameter(query, 'PageToken'), page)
      const found = await readRecords(database, filterOf(principal, query, rules), { after, take: size + 1 })
      const shown = found.slice(0, size)
      const last = found.length > size ? shown.at(-1) : undefined
      const list = `/${API_VERSION}/Accounts/${accountSid(principal.accountId)}/Messages.json`
      const start = page * size
      const body = {
        end: start + Math.max(0, shown.length - 1),
        first_page_uri: `${list}?${pageQuery(query, size, 0)}`,
        messages: shown.map((record) => resourceOf(record, principal.accountId, clock.now())),
        next_page_uri: last === undefined ? null : `${list}?${pageQuery(query, size, page + 1, tokenOf(last))}`,
        page,
        page_size: size,
        previous_page_uri: null,
        start,
        uri: url,
      }
      return { status: 200, body }
    },
  })
}

const FILTERS = ['To', 'From', 'DateSent', 'DateSent<', 'DateSent>'] as const

function pageQuery(query: FacadeParameters, size: number, page: number, token?: string): string {
  const search = new URLSearchParams()
  for (const name of FILTERS) {
    const value = filledParameter(query, name)
    if (value !== undefined) search.set(name, value)
  }
  search.set('PageSize', String(size))
  search.set('Page', String(page))
  if (token !== undefined) search.set('PageToken', token)
  return search.toString()
}

/** In a URL, `DateSent<=…` is a parameter with the name `DateSent<`, because `=` separates name and value. */
function filterOf(
  principal: Principal,
  query: FacadeParameters,
  { defaultRegion }: ReadMessagesDeps['rules'],
): RecordFilter {
  const spellings = (name: string) => {
    const number = filledParameter(query, name)
    return number === undefined ? undefined : storedSpellings(number, defaultRegion)
  }
  const on = timeParameter(query, 'DateSent')
  const until = timeParameter(query, 'DateSent<')
  const since = timeParameter(query, 'DateSent>')
  const froms = [on?.start, since?.start].filter((time) => time !== undefined)
  const befores = [on?.end, until && afterMoment(until.start)].filter((time) => time !== undefined)
  return {
    accountId: principal.accountId,
    hasSent: mayDo(principal, 'messages:list'),
    hasReceived: mayDo(principal, 'inbox:list'),
    to: spellings('To'),
    from: spellings('From'),
    createdFrom: froms.length === 0 ? undefined : new Date(Math.max(...froms.map(Number))),
    createdBefore: befores.length === 0 ? undefined : new Date(Math.min(...befores.map(Number))),
  }
}

/** Adds a millisecond, the unit of stored times, so that the period includes its end. */
function afterMoment(time: Date): Date {
  return new Date(time.getTime() + 1)
}

/** The form of a page token, for example `PA1772366400000.0.17.0`. */
function tokenOf({ createdAt, source, key, position }: MessageRecord): string {
  return `PA${createdAt.getTime()}.${source}.${key}.${position}`
}

function placeOf(token: string | undefined, page: number): RecordPlace | undefined {
  if (token === undefined && page === 0) return undefined
  const [, time = '', source = '', key = '', position = ''] =
    /^PA(\d{1,14})\.([01])\.(\d{1,18})\.(\d{1,4})$/.exec(token ?? '') ?? []
  if (time === '')
    throw new TwilioError(400, 20006, 'Page needs the PageToken of the previous page: follow next_page_uri')
  return { createdAt: new Date(Number(time)), source: Number(source), key: BigInt(key), position: Number(position) }
}
