import { setFlagsFromString } from 'node:v8'
import { runProgram } from '@smsgw/daemon/run-program'

// These flags must be set before other modules are loaded. A small heap saves a tenth of the memory, which is scarce on
// a Raspberry Pi. A larger heap would not help, because messages take only a few kilobytes.
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--optimize-for-size')

await runProgram({
  name: 'agent',
  commands: async () => (await import('./cli/commands.ts')).agentCommands,
  service: 'run',
  async run(line) {
    const { readAgentConfig } = await import('./config.ts')
    const config = readAgentConfig(process.env)
    switch (line.name) {
      case 'run': {
        const { runAgent } = await import('./cli/run.ts')
        return runAgent(config)
      }
      case 'pair': {
        const { pair } = await import('./cli/pair.ts')
        await pair(config, line)
        process.exit(0)
        break
      }
      default: {
        const { runAgentModemCommand } = await import('./cli/run-modem-command.ts')
        await runAgentModemCommand(config, line)
      }
    }
  },
})
