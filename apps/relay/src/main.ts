import { setFlagsFromString } from 'node:v8'
import { runProgram } from '@smsgw/daemon/run-program'

// Makes the garbage collector collect the old generation of the heap earlier. Otherwise, thousands of agents that
// connect at once would permanently double the size of the heap. Requests use the young generation, so they are not
// slower.
setFlagsFromString('--heap-growing-percent=20')

await runProgram({
  name: 'relay',
  commands: async () => (await import('./cli/commands.ts')).relayCommands,
  service: '',
  // Loads the modules here, because loading all of them takes ten times as long as reporting a wrong setting.
  async run(line) {
    const { readRelayConfig } = await import('./config.ts')
    const config = readRelayConfig(process.env)
    if (line.name === '') {
      const { serveRelay } = await import('./cli/serve.ts')
      return serveRelay(config)
    }
    if (line.name === 'router' || line.name.startsWith('cells ')) {
      const { runCellsCommand } = await import('./router/run-cells-command.ts')
      return await runCellsCommand(config, line)
    }
    const { runRelayCommand } = await import('./cli/run-command.ts')
    await runRelayCommand(config, line)
  },
})
