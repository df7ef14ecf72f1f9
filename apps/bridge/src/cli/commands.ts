import type { ProgramCommands } from '@smsgw/daemon/command-line'
import { settingsSchema } from '../config.ts'

export const bridgeCommands = {
  program: 'bridge',
  settings: settingsSchema,
  commands: {
    run: { about: 'forward messages until stopped' },
    doctor: { about: 'check API, broker, mail server and SMPP ports, and say how to fix problems' },
  },
} as const satisfies ProgramCommands
