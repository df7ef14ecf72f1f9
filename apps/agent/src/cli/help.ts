import { commandLines } from '@smsgw/daemon/command-line'
import { settingsHelp } from '@smsgw/daemon/settings'
import { settingsSchema } from '../config.ts'
import { agentCommands } from './commands.ts'

export function helpText(): string {
  return `${[
    'SMS gateway agent: sends and receives messages through the modems of this machine, on behalf of a relay.',
    '',
    ...commandLines(agentCommands),
    '',
    'Settings are environment variables; those that are not secret are also options, such as --data-dir. To read a secret from a file, set <NAME>_FILE to its path.',
    ...settingsHelp(settingsSchema),
    '',
    '  SIM_1_NUMBER=+447700900123',
    '      Phone number of SIM 1. Set it if the card does not store its number. SIM_2_NUMBER for SIM 2, and so on.',
    '',
    '  SIM_1_PIN=1234   [or SIM_1_PIN_FILE]',
    '      PIN of SIM 1. It is entered once, and never when only one attempt is left.',
    '',
    '  SIM_1_OPERATOR=26202',
    '      Operator of SIM 1: country and network codes. 26202,any allows other operators while this operator is out of reach; auto lets the modem choose again.',
  ].join('\n')}\n`
}
