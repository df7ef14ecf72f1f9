import { setFlagsFromString } from 'node:v8'
import { failAs, runProgram } from '@smsgw/daemon/run-program'

// Collecting garbage on several threads takes more CPU time in total than on one, and the gateway shares the processors
// with its database.
setFlagsFromString('--no-parallel-scavenge')

await runProgram({
  name: 'smsgw',
  commands: async () => (await import('./cli/commands.ts')).gatewayCommands,
  service: '',
  async run(line) {
    if (line.name === '') {
      const { serveGateway } = await import('./cli/serve.ts')
      return serveGateway(process, failAs('smsgw'))
    }
    const { runGatewayCommand } = await import('./cli/run-command.ts')
    await runGatewayCommand(line)
  },
})
