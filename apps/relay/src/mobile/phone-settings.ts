import { settings } from '@smsgw/contract/relay/settings'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { readAccountSettings } from '../settings/read-settings.ts'
import type { Database } from '../store/database.ts'

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
 * Always returns an empty list, so that the phone does not call the webhooks. The relay calls them, with one log and
 * one signature.
 */
export function showPhoneWebhooks(): Endpoint {
  return endpoint({
    answers: { 200: z.array(z.never()) },
    handle: async () => ({ status: 200, body: [] }),
  })
}
