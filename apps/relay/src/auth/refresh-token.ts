import { tokenResponse } from '@smsgw/contract/token'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Logbook } from '../logs/logbook.ts'
import type { Database } from '../store/database.ts'
import { replacePair } from './replace-pair-statement.ts'
import { revokeFamilyOf } from './revoke-family-statement.ts'
import { planPair, signPair, type TokenPairDeps } from './token-pair.ts'
import { unauthorised } from './unauthorised.ts'

export interface RefreshTokenDeps extends TokenPairDeps {
  readonly database: Database
  readonly hints: { accessChanged(accountId: string): void }
  readonly logbook: Logbook
  readonly unavailable: string | undefined
}

/**
 * Exchanges a refresh token for a new pair, once. A second use means that two parties have the token, and one may be a
 * thief: the whole family is revoked. This also happens for two concurrent requests, and when a client repeats a request
 * whose answer was lost; the client then issues a new token with the password.
 */
export function refreshToken(deps: RefreshTokenDeps): Endpoint {
  const { database, hints, logbook, clock, unavailable } = deps
  return endpoint({
    answers: { 201: tokenResponse },
    unavailable,
    async handle({ principal: { accountId, scopes, ttlSeconds, familyEndsAt, tokenId = '' }, address }) {
      const pair = planPair(deps, { accountId, scopes: [...scopes], ttl: ttlSeconds, notAfter: familyEndsAt })
      // Signed before the old token is marked as used: a failure in between would cost the caller the family.
      const body = await signPair(deps, pair)
      if (await replacePair(database, tokenId, pair)) return { status: 201, body }
      await revokeFamilyOf(database, { accountId, jti: tokenId }, clock.now())
      hints.accessChanged(accountId)
      logbook.write({ accountId, module: 'auth', priority: 'WARN', message: REUSED, context: { tokenId, address } })
      throw unauthorised('token', 'refresh token already used: issue a new token with user name and password')
    },
  })
}

const REUSED = 'refresh token used twice: all tokens of its family revoked'
