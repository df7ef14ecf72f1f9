import { commandLines } from '@smsgw/daemon/command-line'
import { settingsHelp } from '@smsgw/daemon/settings'
import { gatewayCommands, ofAgent, ofBridge, ofRelay } from './commands.ts'

export function helpText(): string {
  return `${[
    'SMS gateway on one machine: HTTP API, database and modems in one process.',
    '',
    ...commandLines(gatewayCommands),
    '',
    'Settings are environment variables; all are optional, and those that are not secret are also options, such as --port. To read a secret from a file, set <NAME>_FILE to its path.',
    ...settingsHelp(ofAgent),
    ...settingsHelp(ofRelay),
    ...settingsHelp(ofBridge),
  ].join('\n')}\n`
}
