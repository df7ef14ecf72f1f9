import { settingsHelp } from '@smsgw/daemon/settings'
import { commandsHelp } from '@smsgw/daemon/user-command'
import { accountsUsage } from '../accounts/accounts-command.ts'
import { tokenUsage } from '../auth/token-command.ts'
import { backupUsage } from '../backup/backup-relay.ts'
import { settingsSchema } from '../config.ts'

export function helpText(): string {
  return `${[
    'The relay of an SMS gateway: HTTP API, accounts, messages and webhooks on PostgreSQL.',
    '',
    ...commandsHelp('relay', [
      ['', 'start the relay'],
      ['<command>', 'run one command, with or without a running relay:'],
    ]),
    ...[...accountsUsage, ...tokenUsage, ...backupUsage].map((line) => `  ${line}`),
    '',
    'Settings are environment variables. For secrets, <NAME>_FILE can name a file with the value.',
    ...settingsHelp(settingsSchema),
  ].join('\n')}\n`
}
