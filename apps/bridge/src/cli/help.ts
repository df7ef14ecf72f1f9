import { commandLines } from '@smsgw/daemon/command-line'
import { settingsHelp } from '@smsgw/daemon/settings'
import { settingsSchema } from '../config.ts'
import { bridgeCommands } from './commands.ts'

export function helpText(): string {
  return `${[
    'SMS gateway bridge: connects an account of a gateway or relay to MQTT, Home Assistant and e-mail.',
    '',
    ...commandLines(bridgeCommands),
    '',
    'A gateway with MQTT_URL, SMTP_PORT or MAIL_URL runs the bridge itself. This program is for a relay, and for a gateway on another machine.',
    '',
    'Settings are environment variables; those that are not secret are also options, such as --data-dir. To read a secret from a file, set <NAME>_FILE to its path.',
    ...settingsHelp(settingsSchema),
  ].join('\n')}\n`
}
