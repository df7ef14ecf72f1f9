import { runProgram } from '@smsgw/daemon/run-program'

await runProgram({
  name: 'bridge',
  commands: async () => (await import('./cli/commands.ts')).bridgeCommands,
  service: 'run',
  async run(line) {
    const { readConfig } = await import('./config.ts')
    const config = readConfig(process.env)
    if (line.name === 'run') {
      const { run } = await import('./cli/run.ts')
      return run(config)
    }
    const { doctor } = await import('./cli/doctor.ts')
    process.exit(await doctor(config, (text) => process.stdout.write(text)))
  },
})
