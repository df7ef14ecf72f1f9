import { modemCommands } from '@smsgw/agent/cli/commands'
import { agentSettingsSchema as agentSettings } from '@smsgw/agent/config'
import { channelSettings } from '@smsgw/bridge/config'
import type { ProgramCommands } from '@smsgw/daemon/command-line'
import { keyCommands } from '@smsgw/relay/cli/key-commands'
import { relaySettingsSchema as relaySettings } from '@smsgw/relay/config'

/** Settings of the agent that apply inside a gateway. */
export const ofAgent = agentSettings.pick({
  MODEMS: true,
  ENCRYPTION_PASSPHRASE: true,
  IN_DOUBT_SECONDS: true,
  IN_DOUBT_HOLD_SECONDS: true,
  MESSAGE_LIFE_SECONDS: true,
})

/** Settings of the relay that apply inside a gateway. */
export const ofRelay = relaySettings.omit({ ADMIN_USERNAME: true, ENROLMENT_TOKEN: true })

/** Settings of the bridge that apply inside a gateway. */
export const ofBridge = channelSettings

export const gatewayCommands = {
  program: 'gateway',
  title: 'SMS gateway on one machine: HTTP API, database and modems in one process.',
  settings: ofAgent.extend(ofRelay.shape).extend(ofBridge.shape),
  commands: {
    '': { about: 'run until stopped' },
    ...modemCommands,
    ...keyCommands(''),
    backup: { args: '<file>', about: 'write all data of this gateway to one file, while it is running' },
    restore: { args: '<file>', about: 'restore a backup into an empty DATA_DIR' },
  },
} as const satisfies ProgramCommands
