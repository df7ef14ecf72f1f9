import { type TokenRequest, type TokenResponse, tokenRequest, tokenResponse } from '@smsgw/contract/token'
import { ApiError } from '../http/api-error.ts'
import { type Endpoint, endpoint, type Principal } from '../http/endpoint.ts'
import { newId } from '../random.ts'
import type { Database } from '../store/database.ts'
import { insertFamily } from './insert-family-statement.ts'
import { planPair, signPair, type TokenPairNeeds } from './token-pair.ts'
import { unauthorised } from './unauthorised.ts'

export interface IssueTokenNeeds extends TokenPairNeeds {
  readonly database: Database
}

export function issueToken(needs: IssueTokenNeeds & { readonly unavailable: string | undefined }): Endpoint {
  return endpoint({
    body: tokenRequest,
    answers: { 201: tokenResponse },
    unavailable: needs.unavailable,
    async handle({ principal, body }) {
      refuseEscalation(principal, body.scopes)
      return { status: 201, body: await issuePair(needs, principal, body) }
    },
  })
}

/** A first pair for this caller, who may have it. */
export async function issuePair(
  needs: IssueTokenNeeds,
  caller: Pick<Principal, 'accountId' | 'credentialVersion' | 'tokenId'>,
  { ttl, scopes }: TokenRequest,
): Promise<TokenResponse> {
  const pair = planPair(needs, { accountId: caller.accountId, scopes, ttl })
  const response = await signPair(needs, pair)
  if (await insertFamily(needs.database, newId(needs.random), pair, caller)) return response
  throw unauthorised('password or token', 'these credentials were revoked a moment ago')
}

/** A token passes on what it holds itself, and nothing else. */
function refuseEscalation({ scopes }: Principal, asked: readonly string[]): void {
  const held: ReadonlySet<string> = scopes
  const missing = held.has('all:any') ? undefined : asked.find((scope) => !held.has(scope))
  if (missing !== undefined) throw new ApiError(403, `scope required: ${missing}`)
}
