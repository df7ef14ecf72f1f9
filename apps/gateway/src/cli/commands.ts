import { modemCommands, simSettings } from '@smsgw/agent/cli/commands'
import { agentSettingsSchema as agentSettings } from '@smsgw/agent/config'
import { bridgeAddressSettings, channelSettings } from '@smsgw/bridge/config'
import type { ProgramCommands } from '@smsgw/daemon/command-line'
import { gatewayFolder } from '@smsgw/daemon/files/default-folder'
import { flag, setting, text } from '@smsgw/daemon/setting'
import { keyCommands } from '@smsgw/relay/cli/key-commands'
import { relaySettingsSchema as relaySettings } from '@smsgw/relay/config'

/** The settings of the agent, except those that lead it to a relay, and those that it has in common with the relay. */
const ofAgent = agentSettings.omit({
  RELAY_URL: true,
  DATA_DIR: true,
  DEVICE_NAME: true,
  ENROLMENT_TOKEN: true,
  ALLOW_INSECURE_HTTP: true,
  MIX_EMULATED_MODEMS: true,
  LOG_LEVEL: true,
})

/** The settings of the relay, except those of its first account, of pairing, and of the commands for cells. */
const ofRelay = relaySettings.omit({
  DATA_DIR: true,
  ADMIN_USERNAME: true,
  ADMIN_PASSWORD: true,
  ENROLMENT_TOKEN: true,
  DIRECTORY_URL: true,
})

const settings = ofAgent
  .extend({
    DATA_DIR: setting(text().default(gatewayFolder), {
      about: 'folder for everything that the gateway stores: database, journal, keys and password',
      example: '/var/lib/smsgw/gateway',
    }),
    ADMIN_PASSWORD: setting(text().optional(), {
      about: 'initial password of the account sms; ignored once the account exists; default: a generated password',
      example: '$(openssl rand -base64 18)',
      secret: true,
    }),
  })
  .extend(ofRelay.shape)
  .extend({
    ALLOW_INSECURE_HTTP: setting(flag().default(false), {
      about:
        'hides the warning about plain HTTP at start; a gateway always accepts credentials over plain HTTP, so use TLS if other machines can reach it',
      example: '1',
    }),
  })
  .extend(bridgeAddressSettings.shape)
  .extend(channelSettings.shape)

export const gatewayCommands = {
  program: 'gateway',
  title: 'SMS gateway on one machine: HTTP API, database and modems in one process.',
  settings,
  otherSettings: simSettings,
  commands: {
    '': { about: 'run until stopped' },
    ...modemCommands,
    ...keyCommands(''),
    backup: { args: '<file>', about: 'write all data of this gateway to one file, while it is running' },
    restore: { args: '<file>', about: 'restore a backup into an empty DATA_DIR' },
  },
} as const satisfies ProgramCommands
