import { settings } from '@smsgw/contract/settings'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import { readSettings } from './read-settings.ts'

export function getSettings({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    answers: { 200: settings },
    async handle({ principal }) {
      return { status: 200, body: (await readSettings(database, principal.accountId)).settings }
    },
  })
}
