import { setFlagsFromString } from 'node:v8'
import { faultDetails } from '@smsgw/daemon/fault-details'
import { type Fault, faultText } from '@smsgw/daemon/log-line'
import { StartError } from '@smsgw/daemon/start-error'
import { readConfig } from './config.ts'

// When thousands of agents come at once, what that leaves behind would grow the heap to twice its size, for good. It is
// collected sooner instead; requests do not notice, since they live in the young generation, which keeps its size.
setFlagsFromString('--heap-growing-percent=20')

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
// A reader that has gone away (`… | head`) is no reason to die.
process.stdout.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' || fail(error))

await main(process.argv.slice(2)).catch(fail)

/** Loads only what is asked for: a wrong setting is told in a tenth of the time that the relay takes to load. */
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

/** One clear line for what can be mended; everything else with its trace. What is on the disk is whole at any moment. */
function fail(error: unknown): never {
  const text = error instanceof StartError ? error.message : faultText(faultDetails(error) as Fault).trim()
  process.stderr.write(`relay: ${text}\n`)
  process.exit(1)
}
