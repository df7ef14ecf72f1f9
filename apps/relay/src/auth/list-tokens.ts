import { issuedToken } from '@smsgw/contract/token'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import { isUnrevoked } from './token-standing.ts'

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
      const now = clock.now()
      const valid = await database.$queryRaw<{ id: string }[]>`
        SELECT f.id FROM token_families f
        WHERE f.account_id = ${accountId} AND least(f.expires_at, f.ends_at) > ${now} AND ${isUnrevoked}
        ORDER BY f.created_at DESC, f.id DESC LIMIT ${MOST_TOKENS}`
      const families = await database.tokenFamily.findMany({
        where: { id: { in: valid.map(({ id }) => id) } },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        include: {
          tokens: { where: { kind: 'access' }, orderBy: { expiresAt: 'desc' }, take: 1, select: { jti: true } },
        },
      })
      const body = families.flatMap(({ tokens, scopes, createdAt, expiresAt, endsAt }) =>
        tokens.map(({ jti }) => ({
          id: jti,
          scopes,
          createdAt: createdAt.toISOString(),
          expiresAt: (endsAt !== null && endsAt < expiresAt ? endsAt : expiresAt).toISOString(),
        })),
      )
      return { status: 200, body }
    },
  })
}
