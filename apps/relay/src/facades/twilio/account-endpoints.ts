import { z } from 'zod'
import type { Endpoint, Principal } from '../../http/endpoint.ts'
import { facadeEndpoint } from '../../http/facade/facade-endpoint.ts'
import type { Database } from '../../store/database.ts'
import { accountSid } from './sid.ts'
import { errorAnswers, notFound, refuseAsTwilio } from './twilio-error.ts'
import { API_VERSION, rfc2822 } from './twilio-values.ts'

const accountResource = z.strictObject({
  auth_token: z.null(),
  date_created: z.string(),
  date_updated: z.string(),
  friendly_name: z.string(),
  owner_account_sid: z.string(),
  sid: z.string(),
  status: z.literal('active'),
  subresource_uris: z.strictObject({ messages: z.string() }),
  type: z.literal('Full'),
  uri: z.string(),
})

const accountPage = z.looseObject({ accounts: z.array(accountResource) })

interface AccountDeps {
  readonly database: Database
}

/** The parts that all endpoints of Twilio's interface have in common. */
export const twilio = { bodies: ['form'], refuse: refuseAsTwilio } as const

/** Throws 404 unless the SID in the path belongs to the caller's account. */
export function requireAccount({ accountId }: Principal, sid: string, url: string): void {
  if (sid !== accountSid(accountId)) throw notFound(url)
}

/** Returns a list with only the caller's account. Clients can read the SID of the account there. */
export function listAccounts(deps: AccountDeps): Endpoint {
  return facadeEndpoint({
    ...twilio,
    answers: { ...errorAnswers, 200: accountPage },
    async handle({ principal, url }) {
      const accounts = [await accountOf(deps, principal)]
      return { status: 200, body: { ...onlyPage(`/${API_VERSION}/Accounts.json`, url, 1), accounts } }
    },
  })
}

export function fetchAccount(deps: AccountDeps): Endpoint {
  return facadeEndpoint({
    ...twilio,
    params: z.object({ account: z.string() }),
    answers: { ...errorAnswers, 200: accountResource },
    async handle({ principal, params, url }) {
      requireAccount(principal, params.account.replace(/\.json$/, ''), url)
      return { status: 200, body: await accountOf(deps, principal) }
    },
  })
}

async function accountOf(
  { database }: AccountDeps,
  { accountId }: Principal,
): Promise<z.output<typeof accountResource>> {
  const { username, createdAt } = await database.account.findUniqueOrThrow({ where: { id: accountId } })
  const sid = accountSid(accountId)
  const uri = `/${API_VERSION}/Accounts/${sid}`
  return {
    auth_token: null,
    date_created: rfc2822(createdAt),
    date_updated: rfc2822(createdAt),
    friendly_name: username,
    owner_account_sid: sid,
    sid,
    status: 'active',
    subresource_uris: { messages: `${uri}/Messages.json` },
    type: 'Full',
    uri: `${uri}.json`,
  }
}

/** Returns the members of a list that has one page. */
export function onlyPage(first: string, uri: string, count: number) {
  return {
    end: Math.max(0, count - 1),
    first_page_uri: `${first}?PageSize=50&Page=0`,
    next_page_uri: null,
    page: 0,
    page_size: 50,
    previous_page_uri: null,
    start: 0,
    uri,
  }
}
