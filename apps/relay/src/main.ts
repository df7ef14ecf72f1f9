import { setFlagsFromString } from 'node:v8'
import { runProgram } from '@smsgw/daemon/run-program'

// Without earlier collections of the old generation, thousands of agents that connect at once would permanently double
// the size of the heap. Requests use the young generation and are not slower.
setFlagsFromString('--heap-growing-percent=20')

await runProgram({
  name: 'relay',
  commands: async () => (await import('./cli/commands.ts')).relayCommands,
  service: '',
  // Loading all modules would take ten times as long as the report of a wrong setting.
  async run(line) {
    const { readConfig } = await import('./config.ts')
    const config = readConfig(process.env)
    if (line.name === '') {
      const { serve } = await import('./cli/serve.ts')
      return serve(config)
    }
    const { runCommand } = await import('./cli/run-command.ts')
    await runCommand(config, line)
  },
})
