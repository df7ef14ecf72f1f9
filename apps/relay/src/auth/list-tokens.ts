import { issuedToken } from '@smsgw/contract/token'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'

export interface ListTokensDeps {
  readonly database: Database
  readonly clock: Clock
  readonly unavailable: string | undefined
}

const MOST_TOKENS = 1_000

/** Lists tokens that can still be used or refreshed, newest first: one entry per family. */
export function listTokens({ database, clock, unavailable }: ListTokensDeps): Endpoint {
  return endpoint({
    answers: { 200: z.array(issuedToken) },
    unavailable,
    async handle({ principal: { accountId } }) {
      const families = await database.tokenFamily.findMany({
        where: { accountId, revokedAt: null, expiresAt: { gt: clock.now() } },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: MOST_TOKENS,
        include: {
          tokens: { where: { kind: 'access' }, orderBy: { expiresAt: 'desc' }, take: 1, select: { jti: true } },
        },
      })
      const body = families.flatMap(({ tokens, scopes, createdAt, expiresAt }) =>
        tokens.map(({ jti }) => ({
          id: jti,
          scopes,
          createdAt: createdAt.toISOString(),
          expiresAt: expiresAt.toISOString(),
        })),
      )
      return { status: 200, body }
    },
  })
}
