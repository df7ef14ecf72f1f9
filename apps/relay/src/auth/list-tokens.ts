import { issuedToken } from '@smsgw/contract/token'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import { listValidFamilies } from './list-valid-families-statement.ts'

export interface ListTokensDeps {
  readonly database: Database
  readonly clock: Clock
  readonly unavailable: string | undefined
}

/** Lists tokens that can still be used or refreshed, newest first: one entry per family. */
export function listTokens({ database, clock, unavailable }: ListTokensDeps): Endpoint {
  return endpoint({
    answers: { 200: z.array(issuedToken) },
    unavailable,
    async handle({ principal: { accountId } }) {
      const families = await database.tokenFamily.findMany({
        where: { id: { in: await listValidFamilies(database, accountId, clock.now()) } },
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
