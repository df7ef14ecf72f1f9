import type { ProgramCommands } from '@smsgw/daemon/command-line'
import { bridgeSettingsSchema } from '../config.ts'

export const bridgeCommands = {
  program: 'bridge',
  title: 'SMS gateway bridge: connects an account of a gateway or relay to MQTT, Home Assistant, e-mail and SMPP.',
  settings: bridgeSettingsSchema,
  commands: {
    run: { about: 'forward messages until stopped' },
    doctor: { about: 'check API, broker, mail server and SMPP ports, and say how to fix problems' },
  },
  notes: [
    'A gateway with MQTT_URL, SMTP_PORT, MAIL_URL, SMPP_PORT or SMPP_TLS_PORT runs the bridge itself. This program is for a relay, and for a gateway on another machine.',
  ],
} as const satisfies ProgramCommands
