import { tokenResponse } from '@smsgw/contract/token'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Logbook } from '../logs/logbook.ts'
import type { Database } from '../store/database.ts'
import type { BearerLogin } from './bearer-login.ts'
import { replacePair } from './replace-pair-statement.ts'
import { revokeFamilyOf } from './revoke-family-statement.ts'
import { planPair, signPair, type TokenPairNeeds } from './token-pair.ts'
import { unauthorised } from './unauthorised.ts'

export interface RefreshTokenNeeds extends TokenPairNeeds {
  readonly database: Database
  readonly bearerLogin: Pick<BearerLogin, 'forget'>
  readonly logbook: Logbook
  readonly unavailable: string | undefined
}

/**
 * A new pair for a refresh token, once. A token that comes a second time is in two hands, and nobody can tell which of
 * them is the thief's: its whole family is revoked, also when both came at the same moment, and when an honest caller
 * repeats a request whose answer was lost. Who loses a pair so asks for a new one with the password.
 */
export function refreshToken(needs: RefreshTokenNeeds): Endpoint {
  const { database, bearerLogin, logbook, clock, unavailable } = needs
  return endpoint({
    answers: { 201: tokenResponse },
    unavailable,
    async handle({ principal: { accountId, scopes, ttlSeconds, tokenId = '' }, address }) {
      const pair = planPair(needs, { accountId, scopes: [...scopes], ttl: ttlSeconds })
      // Signed before the old one is used up: a failure in between would cost the caller the family.
      const body = await signPair(needs, pair)
      if (await replacePair(database, tokenId, pair)) return { status: 201, body }
      bearerLogin.forget(await revokeFamilyOf(database, { accountId, jti: tokenId }, clock.now()))
      logbook.write({ accountId, module: 'auth', priority: 'WARN', message: REUSED, context: { tokenId, address } })
      throw unauthorised('token', 'this refresh token was used before; ask for a new pair with user name and password')
    },
  })
}

const REUSED = 'a refresh token was used a second time: all tokens that came from it are revoked'
