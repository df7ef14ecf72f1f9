import { commandsHelp } from '@smsgw/daemon/as-typed'
import { settingsHelp } from '@smsgw/daemon/settings'
import { accountsUsage } from '../accounts/accounts-command.ts'
import { tokenUsage } from '../auth/token-command.ts'
import { backupUsage } from '../backup/backup-relay.ts'
import { settingsSchema } from '../config.ts'

export function helpText(): string {
  return `${[
    'The relay of an SMS gateway: its HTTP API, accounts, messages and webhooks, over PostgreSQL.',
    '',
    ...commandsHelp('relay', [
      ['', 'serves until it is told to end'],
      ['<command>', 'does one thing, beside a relay that runs or without one:'],
    ]),
    ...[...accountsUsage, ...tokenUsage, ...backupUsage].map((line) => `  ${line}`),
    '',
    'Settings are variables of the environment. Of secrets, <NAME>_FILE may name a file that holds them.',
    ...settingsHelp(settingsSchema),
  ].join('\n')}\n`
}
