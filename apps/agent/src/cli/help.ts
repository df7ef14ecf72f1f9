import { settingsHelp } from '@smsgw/daemon/settings'
import { commandsHelp } from '@smsgw/daemon/user-command'
import { settingsSchema } from '../config.ts'

export function helpText(): string {
  return `${[
    'SMS gateway agent: sends and receives messages through the modems of this machine, on behalf of a relay.',
    '',
    ...commandsHelp('agent', [
      ['run', 'send and receive until stopped'],
      ['pair <url> <code>', 'pair this machine with an account; POST /devices/codes issues the code;'],
      ['', '--again pairs a paired machine as a new device'],
      ['status [--live]', 'show the status of the running agent; --json for scripts'],
      ['doctor', 'check machine, modems, SIMs and relay, and say how to fix problems;'],
      ['', '--bundle <file> writes a report for support, without private data'],
      ['udev-rules [<port>…]', 'print udev rules with which ModemManager ignores the USB modems of this agent'],
      ['ussd <code>', 'send a USSD code such as *100# and show the reply; --sim <n> selects the SIM'],
    ]),
    '',
    'Settings are environment variables. To read a secret from a file, set <NAME>_FILE to its path.',
    ...settingsHelp(settingsSchema),
    '',
    '  SIM_1_NUMBER=+447700900123',
    '      Phone number of SIM 1. Set it if the card does not store its number. SIM_2_NUMBER for SIM 2, and so on.',
    '',
    '  SIM_1_PIN=1234   [or SIM_1_PIN_FILE]',
    '      PIN of SIM 1. It is entered once, and never when only one attempt is left.',
  ].join('\n')}\n`
}
