import { setFlagsFromString } from 'node:v8'
import { faultDetails } from '@smsgw/daemon/fault-details'
import { type Fault, faultText } from '@smsgw/daemon/log-line'
import { failOnOutputErrors, ignoreOutputErrors } from '@smsgw/daemon/output'
import { StartError } from '@smsgw/daemon/start-error'
import { readConfig } from './config.ts'

// Thousands of agents that connect at once would permanently double the size of the heap. Earlier collections of the old
// generation avoid this. Requests use the young generation and are not slower.
setFlagsFromString('--heap-growing-percent=20')

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
// Without arguments this is a service, which keeps running when its log output is closed.
if (process.argv.length > 2)
  failOnOutputErrors((error) => fail(new StartError(`cannot write the output: ${error.message}`)))
else ignoreOutputErrors()

await main(process.argv.slice(2)).catch(fail)

/** Loads only the modules it needs, so that a wrong setting is reported ten times faster than the whole relay loads. */
async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    const { helpText } = await import('./cli/help.ts')
    process.stdout.write(helpText())
    return
  }
  const config = readConfig(process.env)
  if (args.length === 0) {
    const { serve } = await import('./cli/serve.ts')
    await serve(config)
  } else {
    const { runCommand } = await import('./cli/run-command.ts')
    await runCommand(config, args)
  }
}

/** Exits with one line for an error of the operator, or the stack of any other error. Stored data is always consistent. */
function fail(error: unknown): never {
  const text = error instanceof StartError ? error.message : faultText(faultDetails(error) as Fault).trim()
  process.stderr.write(`relay: ${text}\n`)
  process.exit(1)
}
