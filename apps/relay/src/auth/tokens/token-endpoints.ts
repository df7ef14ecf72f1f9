import {
  issuedToken,
  type TokenRequest,
  type TokenResponse,
  tokenRequest,
  tokenResponse,
} from '@smsgw/contract/access/token'
import { jtiParams } from '@smsgw/contract/fields/ids'
import { z } from 'zod'
import { type Endpoint, endpoint, type Principal } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { scopeRequired } from '../../http/may-do.ts'
import type { Logbook } from '../../logs/logbook.ts'
import { newId } from '../../random.ts'
import type { Database } from '../../store/database.ts'
import { unauthorised } from '../unauthorised.ts'
import { insertFamily } from './insert-family-statement.ts'
import { listValidFamilies } from './list-valid-families-statement.ts'
import { MOST_GENERATIONS, readTokenGeneration } from './read-token-generation-statement.ts'
import { replacePair } from './replace-pair-statement.ts'
import { revokeFamilyOf } from './revoke-family-statement.ts'
import { planPair, signPair, type TokenPairDeps } from './token-pair.ts'

export interface IssueTokenDeps extends TokenPairDeps {
  readonly database: Database
}

interface TokenDeps extends IssueTokenDeps {
  readonly hints: { accessChanged(accountId: string): void }
  readonly logbook: Logbook
  /** Why the relay does not support tokens; undefined if it does. */
  readonly unavailable: string | undefined
}

export function issueToken(deps: TokenDeps): Endpoint {
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

/**
 * Issues the first token pair of a new family. If the caller used a token or key, the pair expires with this token or
 * key, or earlier.
 */
export async function issuePair(
  deps: IssueTokenDeps,
  caller: Pick<Principal, 'accountId' | 'credentialVersion' | 'tokenId' | 'key' | 'expiresAt'>,
  { ttl, scopes }: TokenRequest,
): Promise<TokenResponse> {
  const { accountId, expiresAt, key, tokenId } = caller
  if (tokenId !== undefined && (await readTokenGeneration(deps.database, { accountId, tokenId })) >= MOST_GENERATIONS)
    throw new ApiError(
      403,
      `This token cannot create tokens, because it is the last in a chain of ${MOST_GENERATIONS} tokens, each created with the previous one: use an earlier token, an API key or the password`,
    )
  const pair = planPair(deps, { accountId, scopes, ttl, notAfter: expiresAt, keyId: key?.id })
  const response = await signPair(deps, pair)
  if (await insertFamily(deps.database, newId(deps.random), pair, caller)) return response
  throw unauthorised('password or token', 'These credentials were revoked during the request')
}

/** A token or key can grant only scopes that it has itself. */
export function refuseEscalation({ scopes }: Pick<Principal, 'scopes'>, requested: readonly string[]): void {
  const held: ReadonlySet<string> = scopes
  const missing = held.has('all:any') ? undefined : requested.find((scope) => !held.has(scope))
  if (missing !== undefined) throw scopeRequired(missing)
}

/**
 * Exchanges a refresh token for a new pair, once. A second use revokes the whole family, because it shows that two
 * parties have the token, and one of them may be a thief. The family is also revoked after two concurrent requests, and
 * if a client repeats a request whose answer was lost. In these cases, the client must request a new token with the
 * password.
 */
export function refreshToken(deps: TokenDeps): Endpoint {
  const { database, hints, logbook, clock, unavailable } = deps
  return endpoint({
    answers: { 201: tokenResponse },
    unavailable,
    async handle({ principal: { accountId, scopes, ttlSeconds, familyEndsAt, key, tokenId = '' }, address }) {
      const terms = { accountId, scopes: [...scopes], ttl: ttlSeconds, notAfter: familyEndsAt, keyId: key?.id }
      const pair = planPair(deps, terms)
      // The new pair is signed before the old token is marked as used. In the opposite order, a failure in between
      // would leave the caller without a usable refresh token.
      const body = await signPair(deps, pair)
      if (await replacePair(database, tokenId, pair)) return { status: 201, body }
      await revokeFamilyOf(database, { accountId, jti: tokenId }, clock.now())
      hints.accessChanged(accountId)
      logbook.write({ accountId, module: 'auth', priority: 'WARN', message: REUSED, context: { tokenId, address } })
      throw unauthorised('token', 'Refresh token already used: send username and password to get a new token')
    },
  })
}

const REUSED = 'refresh token used twice, so it was revoked, together with all tokens of the same chain of refreshes'

/**
 * Revokes a token and all tokens refreshed from it. Answers in the same way for an unknown token and for a token of
 * another account.
 */
export function revokeToken({ database, clock, hints, unavailable }: TokenDeps): Endpoint {
  return endpoint({
    params: jtiParams,
    answers: { 204: null },
    unknownId: 204,
    unavailable,
    async handle({ principal: { accountId }, params: { jti } }) {
      const revoked = await revokeFamilyOf(database, { accountId, jti }, clock.now())
      if (revoked.length > 0) hints.accessChanged(accountId)
      return { status: 204 }
    },
  })
}

/** Lists tokens that can still be used or refreshed, newest first, with one entry per family. */
export function listTokens({ database, clock, unavailable }: TokenDeps): Endpoint {
  return endpoint({
    answers: { 200: z.array(issuedToken) },
    unavailable,
    async handle({ principal: { accountId } }) {
      const families = await database.tokenFamily.findMany({
        where: { id: { in: await listValidFamilies(database, accountId, clock.now()) } },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        include: {
          tokens: { where: { kind: 'access' }, orderBy: [{ expiresAt: 'desc' }, { createdAt: 'desc' }], take: 1 },
        },
      })
      const body = families.flatMap(({ tokens, scopes, createdAt, expiresAt, endsAt, keyId }) => {
        const capped = (end: Date) => (endsAt !== null && endsAt < end ? endsAt : end).toISOString()
        return tokens.map((token) => ({
          id: token.jti,
          scopes,
          createdAt: createdAt.toISOString(),
          expiresAt: capped(token.expiresAt),
          refreshExpiresAt: capped(expiresAt),
          ...(keyId !== null && { keyId }),
        }))
      })
      return { status: 200, body }
    },
  })
}

/** Deletes token families that have no valid token. In other families, each refresh deletes the expired tokens. */
export async function deleteExpiredTokens({ database, clock }: Pick<TokenDeps, 'database' | 'clock'>): Promise<void> {
  await database.tokenFamily.deleteMany({ where: { expiresAt: { lt: clock.now() } } })
}
