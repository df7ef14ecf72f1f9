import { commandLines } from '@smsgw/daemon/command-line'
import { settingsHelp } from '@smsgw/daemon/settings'
import { settingsSchema } from '../config.ts'
import { relayCommands } from './commands.ts'

export function helpText(): string {
  return `${[
    'The relay of an SMS gateway: HTTP API, accounts, messages and webhooks on PostgreSQL.',
    '',
    ...commandLines(relayCommands),
    '',
    'Settings are environment variables; those that are not secret are also options, such as --port. For secrets, <NAME>_FILE can name a file with the value.',
    ...settingsHelp(settingsSchema),
  ].join('\n')}\n`
}
