import { settingsSchema as agentSettings } from '@smsgw/agent/config'
import { settingsHelp } from '@smsgw/daemon/settings'
import { commandsHelp } from '@smsgw/daemon/user-command'
import { settingsSchema as relaySettings } from '@smsgw/relay/config'

export function helpText(): string {
  const ofAgent = agentSettings.pick({
    MODEMS: true,
    ENCRYPTION_PASSPHRASE: true,
    IN_DOUBT_SECONDS: true,
    IN_DOUBT_HOLD_SECONDS: true,
    MESSAGE_LIFE_SECONDS: true,
  })
  const ofRelay = relaySettings.omit({ ADMIN_USERNAME: true, ENROLMENT_TOKEN: true })
  return `${[
    'SMS gateway on one machine: HTTP API, database and modems in one process.',
    '',
    ...commandsHelp('gateway', [
      ['', 'run until stopped'],
      ['status [--live]', 'show the modems of the running gateway; --json for scripts'],
      ['doctor', 'check machine, modems and SIMs, and say how to fix problems;'],
      ['', '--bundle <file> writes a report for support, without private data'],
      ['udev-rules [<port>…]', 'print udev rules with which ModemManager ignores the USB modems of this gateway'],
      ['ussd <code>', 'send a USSD code such as *100# and show the reply; --sim <n> selects the SIM'],
      ['backup <file>', 'write all data of this gateway to one file, while it is running'],
      ['restore <file>', 'restore a backup into an empty DATA_DIR'],
    ]),
    '',
    'Settings are environment variables; all are optional. To read a secret from a file, set <NAME>_FILE to its path.',
    ...settingsHelp(ofAgent),
    ...settingsHelp(ofRelay),
  ].join('\n')}\n`
}
