import { setFlagsFromString } from 'node:v8'
import { failOnOutputErrors, ignoreOutputErrors } from '@smsgw/daemon/output'
import { StartError } from '@smsgw/daemon/start-error'
import { printable } from './cli/terminal.ts'
import { VERSION } from './version.ts'

// Must be set before other modules are loaded. A small heap saves a tenth of the memory, which is scarce on a Raspberry
// Pi. A larger heap would not help, because messages take only a few kilobytes.
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--optimize-for-size')

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
// `run` is a service, which must continue when its log output is closed.
if (process.argv[2] === 'run') ignoreOutputErrors()
else failOnOutputErrors((error) => fail(new StartError(`cannot write the output: ${error.message}`)))

await main(process.argv.slice(2)).catch(fail)

/** Loads only the requested command. */
async function main(args: readonly string[]): Promise<void> {
  const { readCommandLine } = await import('@smsgw/daemon/command-line')
  const { agentCommands } = await import('./cli/commands.ts')
  const line = readCommandLine(agentCommands, args.length === 0 ? ['--help'] : args)
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
  switch (line.name) {
    case 'run': {
      const { run } = await import('./cli/run.ts')
      return run(config)
    }
    case 'pair': {
      const { pair } = await import('./cli/pair.ts')
      await pair(config, line)
      process.exit(0)
      break
    }
    default: {
      const { runModemCommand } = await import('./cli/run-modem-command.ts')
      await runModemCommand(config, line)
    }
  }
}

/**
 * Prints one line for an error that the user can fix, and a stack trace for any other error. The journal is intact at any moment,
 * so the process can simply exit.
 */
function fail(error: unknown): never {
  // The message may contain text from a relay or a modem.
  const text =
    error instanceof StartError ? printable(error.message) : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`agent: ${text}\n`)
  process.exit(error instanceof StartError ? error.exitCode : 1)
}
