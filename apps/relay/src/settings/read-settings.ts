import type { Settings } from '@smsgw/contract/settings'
import type { Statements } from '../store/database.ts'
import { type OwnSettings, withDefaults } from './merge-settings.ts'

export interface AccountSettings {
  /** Goes up with each change: an agent that shows an older one is told the new settings. */
  readonly version: number
  /** With every default. */
  readonly settings: Settings
  /** `webhooks.signing_key`, sealed; null: none is set. */
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
