import { failAs, runProgram } from '@smsgw/daemon/run-program'

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
