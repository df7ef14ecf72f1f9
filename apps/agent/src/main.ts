import { setFlagsFromString } from 'node:v8'
import { StartError } from '@smsgw/daemon/start-error'
import { printable } from './modem-tool/printable.ts'

// Before anything else is loaded: what a start leaves behind would otherwise stay in memory, a tenth of the whole, and a
// Raspberry Pi has little. Sending needs none of it back: a message is some kilobytes.
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--optimize-for-size')

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
// A reader that has gone away (`… | head`) is no reason to die.
process.stdout.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' || fail(error))

await main(process.argv.slice(2)).catch(fail)

/** Loads only what is asked for. */
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
      throw new StartError(`there is no command ${JSON.stringify(command)}: run, pair, status, doctor, ussd, or --help`)
  }
}

/** One clear line for what can be mended; everything else with its trace. What is in the journal is whole at any moment. */
function fail(error: unknown): never {
  // What a relay or a modem said may stand in it.
  const text =
    error instanceof StartError ? printable(error.message) : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`agent: ${text}\n`)
  process.exit(1)
}
