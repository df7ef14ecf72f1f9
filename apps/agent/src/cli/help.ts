import { commandsHelp } from '@smsgw/daemon/as-typed'
import { settingsHelp } from '@smsgw/daemon/settings'
import { settingsSchema } from '../config.ts'

export function helpText(): string {
  return `${[
    'The agent of an SMS gateway: it drives the modems of this machine, keeps a journal, and holds a link to its relay.',
    '',
    ...commandsHelp('agent', [
      ['run', 'sends and receives until it is told to end'],
      ['pair <url> <code>', 'makes this machine a device of an account; the code is from POST /devices/codes;'],
      ['', '--again when it is a device already'],
      ['status [--live]', 'how the agent that runs here is; --json for programs'],
      ['doctor', 'looks for what is wrong, and says what to do;'],
      ['', '--bundle <file> writes it down for somebody who helps, without anything private'],
      ['ussd <code>', 'asks the network something, as *100# does; --sim <n> by which SIM'],
    ]),
    '',
    'Settings are variables of the environment. Of secrets, <NAME>_FILE may name a file that holds them.',
    ...settingsHelp(settingsSchema),
    '',
    '  SIM_1_NUMBER=+447700900123',
    '      number of SIM 1, where the card does not tell it; SIM_2_NUMBER and so on for the others',
    '',
    '  SIM_1_PIN=1234   [or SIM_1_PIN_FILE]',
    '      its PIN; entered once, and never as the last try',
  ].join('\n')}\n`
}
