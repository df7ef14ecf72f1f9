import { jtiParams } from '@smsgw/contract/ids'
import type { Clock } from '../clock.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import type { BearerLogin } from './bearer-login.ts'
import { revokeFamilyOf } from './revoke-family-statement.ts'

export interface RevokeTokenNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly bearerLogin: Pick<BearerLogin, 'forget'>
  readonly unavailable: string | undefined
}

/** Ends a token and all that was refreshed from it. One that is unknown, or of another account, is ended already. */
export function revokeToken({ database, clock, bearerLogin, unavailable }: RevokeTokenNeeds): Endpoint {
  return endpoint({
    params: jtiParams,
    answers: { 204: null },
    unavailable,
    async handle({ principal: { accountId }, params: { jti } }) {
      bearerLogin.forget(await revokeFamilyOf(database, { accountId, jti }, clock.now()))
      return { status: 204 }
    },
  })
}
