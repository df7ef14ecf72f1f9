import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../../clock.ts'
import type { SigningKeys } from './signing-keys.ts'

export type TokenKind = 'access' | 'refresh'

/** Access and refresh tokens differ in type and audience, so that neither is accepted as the other. */
const kinds: Readonly<Record<TokenKind, { readonly typ: string; readonly audience: string }>> = {
  access: { typ: 'at+jwt', audience: 'smsgw:api' },
  refresh: { typ: 'rt+jwt', audience: 'smsgw:refresh' },
}

/**
 * The suffix of the audience of a token that an API key issued. Releases without API keys refuse such a token, because
 * they would not apply the limits of the key.
 */
const OF_KEY = ':key'

/** The only accepted algorithm, even if the header of a token names another. */
const ALGORITHM = 'EdDSA'

export interface SignedTokenDeps {
  readonly signingKeys: Pick<SigningKeys, 'signer' | 'verifier'>
  readonly clock: Clock
  readonly issuer: string
}

export interface Claims {
  /** The id of the account. */
  readonly sub: string
  readonly jti: string
  /** Seconds since 1970. */
  readonly iat: number
  readonly exp: number
  readonly scopes: readonly string[]
  /** In refresh tokens only: the lifetime in seconds of the next access token. */
  readonly ttl?: number
}

export async function signToken(
  deps: SignedTokenDeps,
  kind: TokenKind,
  claims: Claims,
  isOfKey = false,
): Promise<string> {
  const { kid, privateKey } = await deps.signingKeys.signer()
  const { typ, audience } = kinds[kind]
  const aud = isOfKey ? `${audience}${OF_KEY}` : audience
  return new SignJWT({ iss: deps.issuer, aud, ...claims, scopes: [...claims.scopes] })
    .setProtectedHeader({ alg: ALGORITHM, kid, typ })
    .sign(privateKey)
}

/**
 * Returns the claims of a token of this kind if an own key signed the token and it has not expired, otherwise
 * undefined. The time of issue is not checked, so that a relay whose clock is behind accepts a new token.
 */
export async function verifyToken(deps: SignedTokenDeps, kind: TokenKind, token: string): Promise<Claims | undefined> {
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid }) => {
        const key = kid === undefined ? undefined : await deps.signingKeys.verifier(kid)
        if (!key) throw new errors.JWKSNoMatchingKey()
        return key
      },
      {
        algorithms: [ALGORITHM],
        issuer: deps.issuer,
        audience: [kinds[kind].audience, `${kinds[kind].audience}${OF_KEY}`],
        typ: kinds[kind].typ,
        requiredClaims: ['sub', 'jti', 'iat', 'exp', 'scopes'],
        currentDate: deps.clock.now(),
      },
    )
    // An own key signed the token, so the claims have this shape.
    return payload as unknown as Claims
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
