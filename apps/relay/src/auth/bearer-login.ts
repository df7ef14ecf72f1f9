import { createHash } from 'node:crypto'
import { type Scope, scopes } from '@smsgw/contract/scopes'
import type { Clock } from '../clock.ts'
import type { Principal } from '../http/endpoint.ts'
import { BoundedMap } from '../limits/bounded-map.ts'
import type { Database } from '../store/database.ts'
import type { FreshLookup } from '../store/fresh-lookup.ts'
import { type Claims, type SignedTokenNeeds, type TokenKind, verifyToken } from './signed-token.ts'
import { type TokenStanding, tokenStandings } from './token-standing.ts'

/** A signature costs ten times as much as everything else of a login: its outcome is kept for as long as a password's. */
const BELIEVED_MS = 60_000
const SIZE = 10_000

interface BearerLoginNeeds extends SignedTokenNeeds {
  readonly database: Database
  readonly clock: Clock
}

/** Who is called by a token: signature and expiry from the token itself, revocation from the database (see FreshLookup). */
export class BearerLogin {
  readonly #needs: BearerLoginNeeds
  readonly #standings: FreshLookup<TokenStanding>
  /** By a hash: the tokens themselves are not kept. */
  readonly #verified = new BoundedMap<string, { readonly claims: Claims; readonly untilMs: number }>(SIZE)

  constructor(needs: BearerLoginNeeds) {
    this.#needs = needs
    this.#standings = tokenStandings(needs.database, () => this.#nowMs())
  }

  /** Undefined when it is not to be taken, for whatever reason. */
  async check(kind: TokenKind, token: string): Promise<Principal | undefined> {
    const claims = await this.#verify(kind, token)
    const standing = claims && (await this.#standings.get(claims.jti))
    if (!claims || standing?.accountId !== claims.sub) return undefined
    const { accountId, username } = standing
    const principal = { accountId, username, scopes: knownScopes(claims.scopes), tokenId: claims.jti }
    return claims.ttl === undefined ? principal : { ...principal, ttlSeconds: claims.ttl }
  }

  /** Tokens of these families are looked up again: they have just been revoked. */
  forget(familyIds: readonly string[]): void {
    this.#standings.forget(({ familyId }) => familyIds.includes(familyId))
  }

  async #verify(kind: TokenKind, token: string): Promise<Claims | undefined> {
    const key = createHash('sha256').update(`${kind} ${token}`).digest('base64url')
    const known = this.#verified.get(key)
    const nowMs = this.#nowMs()
    if (known && nowMs < known.untilMs && nowMs > known.untilMs - BELIEVED_MS * 2) return known.claims
    const claims = await verifyToken(this.#needs, kind, token)
    if (claims) this.#verified.set(key, { claims, untilMs: Math.min(claims.exp * 1000, nowMs + BELIEVED_MS) })
    return claims
  }

  #nowMs(): number {
    return this.#needs.clock.now().getTime()
  }
}

/** A scope that a later release does not know any more allows nothing. */
function knownScopes(names: readonly string[]): ReadonlySet<Scope> {
  return new Set(scopes.filter((scope) => names.includes(scope)))
}
