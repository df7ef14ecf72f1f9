import type { Settings } from '@smsgw/contract/settings'
import type { Statements } from '../store/database.ts'
import { type OwnSettings, withDefaults } from './merge-settings.ts'

export interface AccountSettings {
  /** Increases with each change. Agents with an older version receive the new settings. */
  readonly version: number
  /** All settings, including defaults. */
  readonly settings: Settings
  /** Encrypted `webhooks.signing_key`; null when none is set. */
  readonly signingKeySealed: string | null
}

export async function readSettings(statements: Statements, accountId: string): Promise<AccountSettings> {
  const settings = (await readSettingsOf(statements, [accountId])).get(accountId)
  if (!settings) throw new Error(`account ${accountId} does not exist`)
  return settings
}

/** Reads the settings of the accounts that exist, in one query. */
export async function readSettingsOf(
  statements: Statements,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, AccountSettings>> {
  const accounts = await statements.account.findMany({
    where: { id: { in: [...accountIds] } },
    select: { id: true, settings: true, settingsVersion: true, signingKeySealed: true },
  })
  return new Map(
    accounts.map(({ id, settings, settingsVersion: version, signingKeySealed }) => [
      id,
      { version, settings: withDefaults(settings as OwnSettings), signingKeySealed },
    ]),
  )
}
