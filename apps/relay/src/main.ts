import { setFlagsFromString } from 'node:v8'
import { readCommandLine } from '@smsgw/daemon/command-line'
import { faultDetails } from '@smsgw/daemon/fault-details'
import { type Fault, faultText } from '@smsgw/daemon/log-line'
import { failOnOutputErrors, ignoreOutputErrors } from '@smsgw/daemon/output'
import { StartError } from '@smsgw/daemon/start-error'
import { relayCommands } from './cli/commands.ts'
import { readConfig } from './config.ts'
import { VERSION } from './version.ts'

// Without earlier collections of the old generation, thousands of agents that connect at once would permanently double
// the size of the heap. Requests use the young generation and are not slower.
setFlagsFromString('--heap-growing-percent=20')

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
await main(process.argv.slice(2)).catch(fail)

/**
 * Imports modules only when they are needed, because loading all of them would take ten times as long as the report of
 * a wrong setting.
 */
async function main(args: readonly string[]): Promise<void> {
  const line = readCommandLine(relayCommands, args)
  // Without a command, the process is a service, which keeps running when its log output is closed.
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
  const config = readConfig(process.env)
  if (line.name === '') {
    const { serve } = await import('./cli/serve.ts')
    await serve(config)
  } else {
    const { runCommand } = await import('./cli/run-command.ts')
    await runCommand(config, line)
  }
}

/**
 * Prints one line about a mistake of the operator, or the stack trace of any other error, and exits. Exiting is always
 * safe, because stored data is always consistent.
 */
function fail(error: unknown): never {
  const text = error instanceof StartError ? error.message : faultText(faultDetails(error) as Fault).trim()
  process.stderr.write(`relay: ${text}\n`)
  process.exit(error instanceof StartError ? error.exitCode : 1)
}
