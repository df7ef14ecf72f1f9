import { type Settings, settings } from '@smsgw/contract/relay/settings'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { withDefaults } from './merge-settings.ts'
import { readOwnSettings } from './read-own-settings-statement.ts'

export function getSettings({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    answers: { 200: settings },
    async handle({ principal }) {
      return { status: 200, body: (await readAccountSettings(database, principal.accountId)).settings }
    },
  })
}

export interface AccountSettings {
  /** Increases with each change. Agents with an older version get the new settings. */
  readonly version: number
  /** All settings, including defaults. */
  readonly settings: Settings
  /** The encrypted `webhooks.signing_key`; null if it is not set. */
  readonly signingKeySealed: string | null
}

export async function readAccountSettings(statements: RawStatements, accountId: string): Promise<AccountSettings> {
  const found = (await readSettingsOf(statements, [accountId])).get(accountId)
  if (!found) throw new Error(`account ${accountId} does not exist`)
  return found
}

/** Reads the settings of the existing accounts in one query. */
export async function readSettingsOf(
  statements: RawStatements,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, AccountSettings>> {
  const accounts = await readOwnSettings(statements, accountIds)
  return new Map(accounts.map(({ id, own, ...rest }) => [id, { ...rest, settings: withDefaults(own) }]))
}
