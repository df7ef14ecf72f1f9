import { settingsSchema as agentSettings } from '@smsgw/agent/config'
import { commandsHelp } from '@smsgw/daemon/as-typed'
import { settingsHelp } from '@smsgw/daemon/settings'
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
    'smsgw on one box: the HTTP API, its database and the modems in one process.',
    '',
    ...commandsHelp('gateway', [
      ['', 'runs until it is told to end'],
      ['backup <file>', 'everything of this box in one file, while it goes on'],
      ['restore <file>', 'the same back again, into an empty DATA_DIR'],
    ]),
    '',
    'Nothing has to be set. What can be, as variables of the environment; of secrets, <NAME>_FILE may name a file that holds them:',
    ...settingsHelp(ofAgent),
    ...settingsHelp(ofRelay),
  ].join('\n')}\n`
}
