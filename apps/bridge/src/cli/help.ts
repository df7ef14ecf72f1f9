import { commandLines } from '@smsgw/daemon/command-line'
import { settingsHelp } from '@smsgw/daemon/settings'
import { settingsSchema } from '../config.ts'
import { bridgeCommands } from './commands.ts'

export function helpText(): string {
  return `${[
    'SMS gateway bridge: connects an account of a gateway or relay to MQTT, Home Assistant, e-mail and SMPP.',
    '',
    ...commandLines(bridgeCommands),
    '',
    'A gateway with MQTT_URL, SMTP_PORT, MAIL_URL, SMPP_PORT or SMPP_TLS_PORT runs the bridge itself. This program is for a relay, and for a gateway on another machine.',
    '',
    'Settings are environment variables; those that are not secret are also options, such as --data-dir. To read a secret from a file, set <NAME>_FILE to its path.',
    ...settingsHelp(settingsSchema),
  ].join('\n')}\n`
}
