import type { Auth } from '../auth/auth.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import type { Database } from '../store/database.ts'
import { phoneOf } from './authenticate-phone.ts'
import { phonePasswordBody } from './mobile-bodies.ts'

interface ChangePhonePasswordDeps {
  readonly database: Database
  readonly auth: Pick<Auth, 'changePasswordAs'>
}

/**
 * Lets a phone change the password of its account. The phone's own token stays valid. All sessions and other tokens end.
 */
export function changePhonePassword({ database, auth }: ChangePhonePasswordDeps): Endpoint {
  return endpoint({
    body: phonePasswordBody,
    answers: { 204: null },
    async handle({ principal, body, address }) {
      const { accountId } = phoneOf(principal)
      const { username } = await database.account.findUniqueOrThrow({
        where: { id: accountId },
        select: { username: true },
      })
      const isChanged = await auth.changePasswordAs({ accountId, username, address }, body)
      if (!isChanged) throw new ApiError(401, 'currentPassword is not the password of this account')
      return { status: 204 }
    },
  })
}
