import { jtiParams } from '@smsgw/contract/ids'
import type { Clock } from '../clock.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import { revokeFamilyOf } from './revoke-family-statement.ts'

export interface RevokeTokenDeps {
  readonly database: Database
  readonly clock: Clock
  readonly hints: { accessChanged(accountId: string): void }
  readonly unavailable: string | undefined
}

/** Revokes a token and all tokens refreshed from it. An unknown token, or one of another account, counts as revoked. */
export function revokeToken({ database, clock, hints, unavailable }: RevokeTokenDeps): Endpoint {
  return endpoint({
    params: jtiParams,
    answers: { 204: null },
    unknownId: 204,
    unavailable,
    async handle({ principal: { accountId }, params: { jti } }) {
      const revoked = await revokeFamilyOf(database, { accountId, jti }, clock.now())
      if (revoked.length > 0) hints.accessChanged(accountId)
      return { status: 204 }
    },
  })
}
