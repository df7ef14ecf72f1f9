import type { Scope } from '@smsgw/contract/scopes'
import type { TokenResponse } from '@smsgw/contract/token'
import type { Clock } from '../clock.ts'
import { newId, type Random } from '../random.ts'
import { type SignedTokenNeeds, signToken } from './signed-token.ts'

interface PairTerms {
  readonly clock: Clock
  readonly random: Random
  /** Longest life of an access token. */
  readonly maxTtlSeconds: number
  readonly refreshTtlSeconds: number
}

export interface TokenPairNeeds extends SignedTokenNeeds, PairTerms {}

/** An access token and the refresh token that replaces it, before they are signed: two rows, and what both say. */
export interface TokenPair {
  readonly accountId: string
  readonly scopes: readonly Scope[]
  readonly accessId: string
  readonly refreshId: string
  readonly ttlSeconds: number
  readonly issuedAt: Date
  readonly accessExpiresAt: Date
  readonly refreshExpiresAt: Date
}

/** Nothing asked for is an hour, 0 the longest; more than the longest is the longest. */
export function planPair(
  { clock, random, maxTtlSeconds, refreshTtlSeconds }: PairTerms,
  asked: { readonly accountId: string; readonly scopes: readonly Scope[]; readonly ttl: number | undefined },
): TokenPair {
  const ttlSeconds = asked.ttl === 0 ? maxTtlSeconds : Math.min(asked.ttl ?? 3_600, maxTtlSeconds)
  // A token counts in whole seconds; so does everything that is told about it.
  const issuedSeconds = Math.floor(clock.now().getTime() / 1000)
  return {
    accountId: asked.accountId,
    scopes: [...new Set(asked.scopes)],
    accessId: newId(random),
    refreshId: newId(random),
    ttlSeconds,
    issuedAt: new Date(issuedSeconds * 1000),
    accessExpiresAt: new Date((issuedSeconds + ttlSeconds) * 1000),
    refreshExpiresAt: new Date((issuedSeconds + refreshTtlSeconds) * 1000),
  }
}

/** As the API answers. */
export async function signPair(needs: SignedTokenNeeds, pair: TokenPair): Promise<TokenResponse> {
  const { accountId: sub, scopes, ttlSeconds } = pair
  const iat = seconds(pair.issuedAt)
  const [access, refresh] = await Promise.all([
    signToken(needs, 'access', { sub, jti: pair.accessId, iat, exp: seconds(pair.accessExpiresAt), scopes }),
    signToken(needs, 'refresh', {
      sub,
      jti: pair.refreshId,
      iat,
      exp: seconds(pair.refreshExpiresAt),
      scopes,
      ttl: ttlSeconds,
    }),
  ])
  const expiresAt = pair.accessExpiresAt.toISOString()
  return {
    id: pair.accessId,
    token_type: 'Bearer',
    access_token: access,
    refresh_token: refresh,
    expires_at: expiresAt,
    tokenType: 'Bearer',
    accessToken: access,
    refreshToken: refresh,
    expiresAt,
  }
}

function seconds(time: Date): number {
  return time.getTime() / 1000
}
