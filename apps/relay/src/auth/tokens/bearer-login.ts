import { createHash } from 'node:crypto'
import { type Scope, scopes } from '@smsgw/contract/access/scopes'
import type { CoreDeps } from '../../core-deps.ts'
import type { Principal } from '../../http/endpoint.ts'
import { BoundedMap } from '../../limits/bounded-map.ts'
import { FreshLookup } from '../../store/fresh-lookup.ts'
import { scopesOfKey } from '../keys/key-login.ts'
import { readTokenStandings, type TokenStanding } from './read-token-standings-statement.ts'
import { type Claims, type SignedTokenDeps, type TokenKind, verifyToken } from './signed-token.ts'

/** Verifying a signature takes ten times as long as the rest of a login, so the result is cached, as for a password. */
const CACHED_MS = 60_000
const SIZE = 10_000

interface BearerLoginDeps extends SignedTokenDeps, Pick<CoreDeps, 'database' | 'clock'> {}

/**
 * Authenticates access and refresh tokens. Signature and expiry are in the token; the database shows whether the token
 * was revoked.
 */
export class BearerLogin {
  readonly #deps: BearerLoginDeps
  readonly #standings: FreshLookup<TokenStanding>
  /** The keys are hashes, so that no token is kept in memory. */
  readonly #verified = new BoundedMap<string, { readonly claims: Claims; readonly untilMs: number }>(SIZE)

  constructor(deps: BearerLoginDeps) {
    this.#deps = deps
    const load = (jtis: string[]) => readTokenStandings(deps.database, jtis)
    this.#standings = new FreshLookup({ nowMs: () => this.#nowMs(), size: SIZE, load })
  }

  /** Returns undefined when the token is invalid, expired or revoked. */
  async check(kind: TokenKind, token: string): Promise<Principal | undefined> {
    const claims = await this.#verify(kind, token)
    const standing = claims && (await this.#standings.get(claims.jti))
    if (!claims || standing?.accountId !== claims.sub) return undefined
    const { accountId, username, endsAt, key } = standing
    // Relays of older releases issue tokens that expire after the end of their family.
    const expiresAt = new Date(Math.min(claims.exp * 1000, endsAt?.getTime() ?? Number.POSITIVE_INFINITY))
    if (expiresAt.getTime() <= this.#nowMs()) return undefined
    const named = key === null ? knownScopes(claims.scopes) : scopesOfKey(claims.scopes)
    const principal = { accountId, username, scopes: named, tokenId: claims.jti, expiresAt }
    return {
      ...principal,
      ...(key !== null && { key }),
      ...(endsAt !== null && { familyEndsAt: endsAt }),
      ...(claims.ttl !== undefined && { ttlSeconds: claims.ttl }),
    }
  }

  /** Returns why a token that was accepted is no longer valid, or undefined while it is valid. */
  async lossOf(tokenId: string, expiresAt: Date | undefined): Promise<'token_expired' | 'token_revoked' | undefined> {
    if (expiresAt !== undefined && expiresAt.getTime() <= this.#nowMs()) return 'token_expired'
    return (await this.#standings.get(tokenId)) ? undefined : 'token_revoked'
  }

  /** Discards the cached tokens of an account, because some were revoked. */
  forget(accountId: string): void {
    this.#standings.forget((standing) => standing.accountId === accountId)
  }

  async #verify(kind: TokenKind, token: string): Promise<Claims | undefined> {
    const key = createHash('sha256').update(`${kind} ${token}`).digest('base64url')
    const known = this.#verified.get(key)
    const nowMs = this.#nowMs()
    if (known && nowMs < known.untilMs && nowMs > known.untilMs - CACHED_MS * 2) return known.claims
    const claims = await verifyToken(this.#deps, kind, token)
    if (claims) this.#verified.set(key, { claims, untilMs: Math.min(claims.exp * 1000, nowMs + CACHED_MS) })
    return claims
  }

  #nowMs(): number {
    return this.#deps.clock.now().getTime()
  }
}

/** Returns the scopes that this release has, without unknown scopes. */
function knownScopes(names: readonly string[]): ReadonlySet<Scope> {
  return new Set(scopes.filter((scope) => names.includes(scope)))
}
