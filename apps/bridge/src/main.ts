import { failOnOutputErrors, ignoreOutputErrors } from '@smsgw/daemon/output'
import { StartError } from '@smsgw/daemon/start-error'
import { VERSION } from './version.ts'

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
// `run` is a service, which must continue when its log output is closed.
if (process.argv[2] === 'run') ignoreOutputErrors()
else failOnOutputErrors((error) => fail(new StartError(`cannot write the output: ${error.message}`)))

await main(process.argv.slice(2)).catch(fail)

/** Loads only the requested command. */
async function main(args: readonly string[]): Promise<void> {
  const { readCommandLine } = await import('@smsgw/daemon/command-line')
  const { bridgeCommands } = await import('./cli/commands.ts')
  const line = readCommandLine(bridgeCommands, args.length === 0 ? ['--help'] : args)
  if (line.name === '--help') {
    const { helpText } = await import('./cli/help.ts')
    process.stdout.write(helpText())
    return
  }
  if (line.name === '--version') {
    process.stdout.write(`${VERSION}\n`)
    return
  }
  Object.assign(process.env, line.settings)
  const { readConfig } = await import('./config.ts')
  const config = readConfig(process.env)
  if (line.name === 'run') {
    const { run } = await import('./cli/run.ts')
    await run(config)
    return
  }
  const { doctor } = await import('./cli/doctor.ts')
  process.exit(await doctor(config, (text) => process.stdout.write(text)))
}

/** Prints one line for an error that the user can fix, and a stack trace for any other error. */
function fail(error: unknown): never {
  const text = error instanceof StartError ? error.message : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`bridge: ${text}\n`)
  process.exit(error instanceof StartError ? error.exitCode : 1)
}
