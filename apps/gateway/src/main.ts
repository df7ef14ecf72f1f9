import { failAs, runProgram } from '@smsgw/daemon/run-program'

await runProgram({
  name: 'smsgw',
  commands: async () => (await import('./cli/commands.ts')).gatewayCommands,
  service: '',
  async run(line) {
    if (line.name === '') {
      const { serve } = await import('./cli/serve.ts')
      return serve(process, failAs('smsgw'))
    }
    const { runCommand } = await import('./cli/run-command.ts')
    await runCommand(line)
  },
})
