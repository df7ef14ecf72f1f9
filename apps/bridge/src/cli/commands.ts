import type { ProgramCommands } from '@smsgw/daemon/command-line'
import { settingsSchema } from '../config.ts'

export const bridgeCommands = {
  program: 'bridge',
  settings: settingsSchema,
  commands: {
    run: { about: 'pass messages on until stopped' },
    doctor: { about: 'check the connections to API, broker and mail server, and say how to fix problems' },
  },
} as const satisfies ProgramCommands
