import type { Scope } from '@smsgw/contract/access/scopes'
import type { TokenResponse } from '@smsgw/contract/access/token'
import type { CoreDeps } from '../../core-deps.ts'
import { newId } from '../../random.ts'
import { type SignedTokenDeps, signToken } from './signed-token.ts'

interface PairTerms extends Pick<CoreDeps, 'clock' | 'random'> {
  /** Longest lifetime of an access token. */
  readonly maxTtlSeconds: number
  readonly refreshTtlSeconds: number
}

export interface TokenPairDeps extends SignedTokenDeps, PairTerms {}

/** An access token and its refresh token before they are signed. */
export interface PlannedPair {
  readonly accountId: string
  readonly scopes: readonly Scope[]
  readonly accessId: string
  readonly refreshId: string
  readonly ttlSeconds: number
  readonly issuedAt: Date
  readonly accessExpiresAt: Date
  readonly refreshExpiresAt: Date
  /** The API key with which the pair is issued, directly or through another token. */
  readonly keyId: string | undefined
}

/**
 * Plans a pair. Without a `ttl` the access token is valid for an hour; 0 means the maximum. `notAfter` limits both
 * tokens.
 */
export function planPair(
  { clock, random, maxTtlSeconds, refreshTtlSeconds }: PairTerms,
  requested: {
    readonly accountId: string
    readonly scopes: readonly Scope[]
    readonly ttl: number | undefined
    readonly notAfter: Date | undefined
    readonly keyId?: string | undefined
  },
): PlannedPair {
  const ttlSeconds = requested.ttl === 0 ? maxTtlSeconds : Math.min(requested.ttl ?? 3_600, maxTtlSeconds)
  // Tokens contain whole seconds, so the answer does too.
  const issuedSeconds = Math.floor(clock.now().getTime() / 1000)
  const capped = (seconds: number) =>
    new Date(Math.min((issuedSeconds + seconds) * 1000, requested.notAfter?.getTime() ?? Number.POSITIVE_INFINITY))
  return {
    accountId: requested.accountId,
    scopes: [...new Set(requested.scopes)],
    accessId: newId(random),
    refreshId: newId(random),
    ttlSeconds,
    issuedAt: new Date(issuedSeconds * 1000),
    accessExpiresAt: capped(ttlSeconds),
    refreshExpiresAt: capped(refreshTtlSeconds),
    keyId: requested.keyId,
  }
}

/** Signs both tokens and returns the answer of the API. */
export async function signPair(deps: SignedTokenDeps, pair: PlannedPair): Promise<TokenResponse> {
  const { accountId: sub, scopes, ttlSeconds } = pair
  const isOfKey = pair.keyId !== undefined
  const iat = seconds(pair.issuedAt)
  const [access, refresh] = await Promise.all([
    signToken(deps, 'access', { sub, jti: pair.accessId, iat, exp: seconds(pair.accessExpiresAt), scopes }, isOfKey),
    signToken(
      deps,
      'refresh',
      { sub, jti: pair.refreshId, iat, exp: seconds(pair.refreshExpiresAt), scopes, ttl: ttlSeconds },
      isOfKey,
    ),
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
