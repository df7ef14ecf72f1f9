import { settings } from '@smsgw/contract/relay/settings'
import { z } from 'zod'
import type { Auth } from '../auth/auth.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { readAccountSettings } from '../settings/read-settings.ts'
import type { Database } from '../store/database.ts'
import { phoneOf } from './authenticate-phone.ts'
import { phonePasswordBody } from './mobile-bodies.ts'

/**
 * Returns the settings of the account, without secrets and without `encryption`, which phones set themselves. The phone
 * follows the limits in these settings.
 */
export function showPhoneSettings({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    answers: { 200: settings.omit({ encryption: true }) },
    async handle({ principal: { accountId } }) {
      const { encryption: _, ...ofPhones } = (await readAccountSettings(database, accountId)).settings
      return { status: 200, body: ofPhones }
    },
  })
}

/**
 * Always returns an empty list, so that the phone does not call the webhooks. The relay calls them, so that all calls
 * have the same signature and appear in one log.
 */
export function showPhoneWebhooks(): Endpoint {
  return endpoint({
    answers: { 200: z.array(z.never()) },
    handle: async () => ({ status: 200, body: [] }),
  })
}

interface ChangePhonePasswordDeps {
  readonly database: Database
  readonly auth: Pick<Auth, 'changePasswordAs'>
}

/**
 * Lets a phone change the password of its account. The phone's own token stays valid. All sessions and other tokens
 * end.
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
