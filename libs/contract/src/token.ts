import { z } from 'zod'
import { requestBody } from './request-body.ts'
import { scopes } from './scopes.ts'
import { utcTime } from './times.ts'

/** `inbox:read` is an older name. */
const askedScope = z
  .preprocess(
    (name) => (name === 'inbox:read' ? 'inbox:list' : name),
    z.enum(scopes, { error: ({ input }) => `${shown(input)} is no scope; known are ${scopes.join(', ')}` }),
  )
  .meta({ description: 'A permission' })

/** What a caller asks for; the least is asked of the account, see the endpoint. */
export const tokenRequest = requestBody({
  ttl: z
    .int()
    .refine((ttl) => ttl === 0 || ttl >= 60, 'must be 0 for the longest, or at least 60')
    .optional()
    .meta({ description: 'Lifetime in seconds: 3600 when left out, 0 for the longest; capped at the maximum' }),
  scopes: z.array(askedScope).min(1).max(64).meta({ description: 'What the token may do' }),
}).meta({ id: 'TokenRequest', examples: [{ ttl: 3600, scopes: ['messages:send', 'messages:read'] }] })

const pair = {
  access_token: z.string().meta({ description: 'To present as `Authorization: Bearer …`' }),
  refresh_token: z.string().meta({ description: 'Exchanged for a new pair, once' }),
  token_type: z.literal('Bearer'),
  expires_at: utcTime.meta({ description: 'When the access token expires' }),
}

export const tokenResponse = z
  .strictObject({
    id: z.string().meta({ description: 'The `jti` of the access token, to revoke it by' }),
    ...pair,
    accessToken: pair.access_token.meta({ description: 'Same as `access_token`' }),
    refreshToken: pair.refresh_token.meta({ description: 'Same as `refresh_token`' }),
    tokenType: pair.token_type.meta({ description: 'Same as `token_type`' }),
    expiresAt: pair.expires_at.meta({ description: 'Same as `expires_at`' }),
  })
  .meta({ id: 'TokenResponse' })

/** What is shown of tokens that were issued: never the tokens. */
export const issuedToken = z
  .strictObject({
    id: z.string().meta({ description: 'The `jti` of its latest access token, to revoke it by' }),
    scopes: z.array(z.string()),
    createdAt: utcTime,
    expiresAt: utcTime.meta({ description: 'Neither it nor its refresh token works from then on' }),
    revokedAt: utcTime.optional(),
  })
  .meta({ id: 'IssuedToken' })

export type TokenRequest = z.output<typeof tokenRequest>
export type TokenResponse = z.output<typeof tokenResponse>

function shown(input: unknown): string {
  return typeof input === 'string' ? JSON.stringify(input.slice(0, 64)) : 'this'
}
export type IssuedToken = z.output<typeof issuedToken>
