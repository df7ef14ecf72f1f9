import { type TokenRequest, type TokenResponse, tokenRequest, tokenResponse } from '@smsgw/contract/token'
import { ApiError } from '../http/api-error.ts'
import { type Endpoint, endpoint, type Principal } from '../http/endpoint.ts'
import { newId } from '../random.ts'
import type { Database } from '../store/database.ts'
import { insertFamily } from './insert-family-statement.ts'
import { planPair, signPair, type TokenPairDeps } from './token-pair.ts'
import { unauthorised } from './unauthorised.ts'

export interface IssueTokenDeps extends TokenPairDeps {
  readonly database: Database
}

export function issueToken(deps: IssueTokenDeps & { readonly unavailable: string | undefined }): Endpoint {
  return endpoint({
    body: tokenRequest,
    answers: { 201: tokenResponse },
    unavailable: deps.unavailable,
    async handle({ principal, body }) {
      refuseEscalation(principal, body.scopes)
      return { status: 201, body: await issuePair(deps, principal, body) }
    },
  })
}

/** Issues the first token pair of a new family. A pair requested with a token expires with that token at the latest. */
export async function issuePair(
  deps: IssueTokenDeps,
  caller: Pick<Principal, 'accountId' | 'credentialVersion' | 'tokenId' | 'expiresAt'>,
  { ttl, scopes }: TokenRequest,
): Promise<TokenResponse> {
  const pair = planPair(deps, { accountId: caller.accountId, scopes, ttl, notAfter: caller.expiresAt })
  const response = await signPair(deps, pair)
  if (await insertFamily(deps.database, newId(deps.random), pair, caller)) return response
  throw unauthorised('password or token', 'these credentials were revoked during the request')
}

/** A token can grant only scopes that it has itself. */
function refuseEscalation({ scopes }: Principal, asked: readonly string[]): void {
  const held: ReadonlySet<string> = scopes
  const missing = held.has('all:any') ? undefined : asked.find((scope) => !held.has(scope))
  if (missing !== undefined) throw new ApiError(403, `scope required: ${missing}`)
}
