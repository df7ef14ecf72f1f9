import { z } from 'zod'
import { keyId } from '../fields/ids.ts'
import { requestBody } from '../fields/request-body.ts'
import { utcTime } from '../fields/times.ts'
import { scopes } from './scopes.ts'

export const requestedScope = z
  .enum(scopes, { error: ({ input }) => `${shown(input)} is not a scope. Use one of ${scopes.join(', ')}` })
  .meta({ description: 'Permission of the token or key' })

/** The body of a token request. The endpoint checks it against the permissions of the caller. */
export const tokenRequest = requestBody({
  ttl: z
    .int()
    .refine((ttl) => ttl === 0 || ttl >= 60, 'must be 0 (the maximum lifetime) or at least 60 seconds')
    .optional()
    .meta({
      description:
        'Lifetime in seconds. Default: 3600. 0 means the maximum. A token never outlives the token with which it was requested',
    }),
  scopes: z.array(requestedScope).min(1).max(64).meta({ description: 'Scopes of the token' }),
}).meta({ id: 'TokenRequest', examples: [{ ttl: 3600, scopes: ['messages:send', 'messages:read'] }] })

const pair = {
  accessToken: z
    .string()
    .meta({ description: 'Token to send as `Authorization: Bearer …`. `access_token` is the same' }),
  refreshToken: z.string().meta({
    description: 'Token that can be exchanged once for a new pair of tokens. `refresh_token` is the same',
  }),
  tokenType: z.literal('Bearer').meta({ description: '`token_type` is the same' }),
  expiresAt: utcTime.meta({ description: 'Expiry of the access token. `expires_at` is the same' }),
}

export const tokenResponse = z
  .strictObject({
    id: z.string().meta({ description: 'The `jti` of the access token; use it to revoke the token' }),
    ...pair,
    access_token: pair.accessToken.meta({ synonymOf: 'accessToken' }),
    refresh_token: pair.refreshToken.meta({ synonymOf: 'refreshToken' }),
    token_type: pair.tokenType.meta({ synonymOf: 'tokenType' }),
    expires_at: pair.expiresAt.meta({ synonymOf: 'expiresAt' }),
  })
  .meta({ id: 'TokenResponse' })

/** An issued token as listed by the API, without the token itself. */
export const issuedToken = z
  .strictObject({
    id: z.string().meta({ description: 'The `jti` of the latest access token; use it to revoke the token' }),
    scopes: z.array(z.string()),
    createdAt: utcTime,
    expiresAt: utcTime.meta({ description: 'Expiry of the latest access token' }),
    refreshExpiresAt: utcTime.meta({
      description: 'Time until which the refresh token can be exchanged for a new pair',
    }),
    keyId: keyId.optional().meta({ description: 'The API key that issued the token' }),
    revokedAt: utcTime.optional(),
  })
  .meta({ id: 'IssuedToken' })

export type TokenRequest = z.output<typeof tokenRequest>
export type TokenResponse = z.output<typeof tokenResponse>

function shown(input: unknown): string {
  return typeof input === 'string' ? JSON.stringify(input.slice(0, 64)) : 'this'
}
export type IssuedToken = z.output<typeof issuedToken>
