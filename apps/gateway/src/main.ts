import { printable } from '@smsgw/agent/cli/terminal'
import { readCommandLine } from '@smsgw/daemon/command-line'
import { failOnOutputErrors, ignoreOutputErrors } from '@smsgw/daemon/output'
import { StartError } from '@smsgw/daemon/start-error'
import { VERSION } from '@smsgw/relay/version'
import { gatewayCommands } from './cli/commands.ts'

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

await main(process.argv.slice(2)).catch(fail)

/** Loads only the requested command. */
async function main(args: readonly string[]): Promise<void> {
  const line = readCommandLine(gatewayCommands, args)
  // Without a command, the gateway is a service, which must continue when its log output is closed.
  if (line.name === '') ignoreOutputErrors()
  else failOnOutputErrors((error) => fail(new StartError(`cannot write the output: ${error.message}`)))
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
  if (line.name === '') {
    const { serve } = await import('./cli/serve.ts')
    await serve(process, fail)
  } else {
    const { runCommand } = await import('./cli/run-command.ts')
    await runCommand(line)
  }
}

/** Prints one line for errors that the user can fix, and a stack trace for all others. */
function fail(error: unknown): never {
  // The message may contain text from a modem.
  const text =
    error instanceof StartError ? printable(error.message) : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`smsgw: ${text}\n`)
  process.exit(error instanceof StartError ? error.exitCode : 1)
}
