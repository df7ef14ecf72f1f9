import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../clock.ts'
import type { SigningKeys } from './signing-keys.ts'

export type TokenKind = 'access' | 'refresh'

/** A token says twice what it is for, so that one kind is never taken for the other. */
const kinds: Readonly<Record<TokenKind, { readonly typ: string; readonly audience: string }>> = {
  access: { typ: 'at+jwt', audience: 'smsgw:api' },
  refresh: { typ: 'rt+jwt', audience: 'smsgw:refresh' },
}

/** The one that we sign with, whatever a token says of itself. */
const ALGORITHM = 'EdDSA'

export interface SignedTokenNeeds {
  readonly signingKeys: Pick<SigningKeys, 'signer' | 'verifier'>
  readonly clock: Clock
  readonly issuer: string
}

export interface Claims {
  /** The account. */
  readonly sub: string
  readonly jti: string
  /** In seconds. */
  readonly iat: number
  readonly exp: number
  readonly scopes: readonly string[]
  /** In a refresh token: the lifetime that was asked for its access token, and goes on to be given. */
  readonly ttl?: number
}

export async function signToken(needs: SignedTokenNeeds, kind: TokenKind, claims: Claims): Promise<string> {
  const { kid, privateKey } = await needs.signingKeys.signer()
  const { typ, audience } = kinds[kind]
  return new SignJWT({ iss: needs.issuer, aud: audience, ...claims, scopes: [...claims.scopes] })
    .setProtectedHeader({ alg: ALGORITHM, kid, typ })
    .sign(privateKey)
}

/**
 * The claims of a token of this kind that we signed and that has not expired; undefined for anything else. It ends when
 * `expires_at` says, to the second. The moment of issue is not compared: a replica whose clock is behind takes a new token.
 */
export async function verifyToken(
  needs: SignedTokenNeeds,
  kind: TokenKind,
  token: string,
): Promise<Claims | undefined> {
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid }) => {
        const key = kid === undefined ? undefined : await needs.signingKeys.verifier(kid)
        if (!key) throw new errors.JWKSNoMatchingKey()
        return key
      },
      {
        algorithms: [ALGORITHM],
        issuer: needs.issuer,
        audience: kinds[kind].audience,
        typ: kinds[kind].typ,
        requiredClaims: ['sub', 'jti', 'iat', 'exp', 'scopes'],
        currentDate: needs.clock.now(),
      },
    )
    // What we signed has the claims that we wrote.
    return payload as unknown as Claims
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
