import type { ProgramCommands } from '@smsgw/daemon/command-line'
import { bridgeSettingsSchema } from '../config.ts'

export const bridgeCommands = {
  program: 'bridge',
  title:
    'SMS gateway bridge: connects an account of a gateway or relay to MQTT, Home Assistant, e-mail, chats, SMPP and AI assistants.',
  settings: bridgeSettingsSchema,
  commands: {
    run: { about: 'forward messages until stopped' },
    doctor: { about: 'check API, broker, mail server, chats and SMPP ports, and say how to fix problems' },
  },
  notes: [
    'A gateway runs the bridge itself if MQTT_URL, SMTP_PORT, MAIL_URL, CHAT_URLS, SMPP_PORT, SMPP_TLS_PORT or MCP_PORT is set. This program is for a relay, and for a gateway on another machine.',
  ],
} as const satisfies ProgramCommands
