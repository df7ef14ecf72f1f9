import { runProgram } from '@smsgw/daemon/run-program'

await runProgram({
  name: 'bridge',
  commands: async () => (await import('./cli/commands.ts')).bridgeCommands,
  service: 'run',
  async run(line) {
    const { readBridgeConfig } = await import('./config.ts')
    const config = readBridgeConfig(process.env)
    if (line.name === 'run') {
      const { runBridge } = await import('./start-bridge.ts')
      return runBridge(config)
    }
    const { checkBridge } = await import('./cli/doctor.ts')
    process.exit(await checkBridge(config, (text) => process.stdout.write(text)))
  },
})
