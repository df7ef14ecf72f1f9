import { setFlagsFromString } from 'node:v8'
import { failOnOutputErrors, ignoreOutputErrors } from '@smsgw/daemon/output'
import { StartError } from '@smsgw/daemon/start-error'
import { printable } from './cli/terminal.ts'

// Set before anything else is loaded. Saves a tenth of the memory, which is scarce on a Raspberry Pi. Sending does not need
// a larger heap, because a message takes a few kilobytes.
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--optimize-for-size')

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
// `run` is a service, which must survive a broken log output.
if (process.argv[2] === 'run') ignoreOutputErrors()
else failOnOutputErrors((error) => fail(new StartError(`cannot write the output: ${error.message}`)))

await main(process.argv.slice(2)).catch(fail)

/** Loads only the requested command. */
async function main([command, ...args]: readonly string[]): Promise<void> {
  if (command === undefined || [command, ...args].some((each) => each === '--help' || each === '-h')) {
    const { helpText } = await import('./cli/help.ts')
    process.stdout.write(helpText())
    return
  }
  const { readConfig } = await import('./config.ts')
  const config = readConfig(process.env)
  switch (command) {
    case 'run': {
      const { run } = await import('./cli/run.ts')
      return run(config)
    }
    case 'pair': {
      const { pair } = await import('./cli/pair.ts')
      await pair(config, args)
      process.exit(0)
      break
    }
    case 'status': {
      const { status } = await import('./cli/status.ts')
      return status(config, args)
    }
    case 'udev-rules': {
      const { printUdevRules } = await import('./cli/udev-rules.ts')
      return printUdevRules(config, args)
    }
    case 'ussd': {
      const { ussd } = await import('./cli/ussd.ts')
      return ussd(config, args)
    }
    case 'doctor': {
      const { doctor } = await import('./cli/doctor.ts')
      process.exitCode = (await doctor(config, args)) ? 0 : 1
      break
    }
    default:
      throw new StartError(`unknown command ${JSON.stringify(command)}. Use run, pair, status, doctor, ussd or --help`)
  }
}

/** Prints one line for errors that the user can fix, else a stack trace. The journal stays intact at any moment. */
function fail(error: unknown): never {
  // The message may contain text from a relay or a modem.
  const text =
    error instanceof StartError ? printable(error.message) : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`agent: ${text}\n`)
  process.exit(1)
}
