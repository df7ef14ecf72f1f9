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
  const account = await statements.account.findUniqueOrThrow({
    where: { id: accountId },
    select: { settings: true, settingsVersion: true, signingKeySealed: true },
  })
  return {
    version: account.settingsVersion,
    settings: withDefaults(account.settings as OwnSettings),
    signingKeySealed: account.signingKeySealed,
  }
}
