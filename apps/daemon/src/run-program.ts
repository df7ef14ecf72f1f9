import { dirname } from 'node:path'
import type { CommandLine, ProgramCommands } from './command-line.ts'
import { describeDiskOf, isDiskFull } from './files/disk-space.ts'
import { faultDetails } from './log/fault-details.ts'
import { type Fault, faultText } from './log/log-line.ts'
import { StartError } from './start-error.ts'
import { failOnOutputErrors, ignoreOutputErrors } from './terminal/output.ts'
import { printable } from './terminal/printable.ts'

/** A program with commands: agent, bridge, gateway or relay. */
export interface ProgramEntry {
  /** The name that is printed before each error. */
  readonly name: string
  /** Loads the commands. Nothing else is loaded for a wrong command line. */
  readonly commands: () => Promise<ProgramCommands>
  /** The command that is a service: it runs until it is stopped. */
  readonly service: '' | 'run'
  readonly run: (line: CommandLine) => Promise<void>
}

/** Runs the command that the command line of this process names. An error prints one line and ends the process. */
export async function runProgram({ name, commands, service, run }: ProgramEntry): Promise<void> {
  const fail = failAs(name)
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  try {
    const { helpText, readCommandLine } = await import('./command-line.ts')
    const known = await commands()
    const args = process.argv.slice(2)
    const line = readCommandLine(known, args.length > 0 || service === '' ? args : ['--help'])
    // A service must continue when its log output is closed.
    if (line.name === service) ignoreOutputErrors()
    else failOnOutputErrors((error) => fail(new StartError(`cannot write the output: ${error.message}`)))
    if (line.name === '--help') process.stdout.write(helpText(known))
    else if (line.name === '--version') process.stdout.write(`${(await import('./version.ts')).VERSION}\n`)
    else {
      Object.assign(process.env, line.settings)
      await run(line)
    }
  } catch (error) {
    fail(error)
  }
}

/**
 * Returns a function that prints an error and exits: one line for an error that the user can fix, and a stack trace
 * without stored data for any other error. Exiting is always safe, because stored data is consistent at every moment.
 */
export function failAs(name: string): (error: unknown) => never {
  return (error) => {
    // The message may contain control characters, because text from a modem or a relay may be part of it.
    process.stderr.write(`${name}: ${failureText(error)}\n`)
    process.exit(error instanceof StartError ? error.exitCode : 1)
  }
}

function failureText(error: unknown): string {
  if (error instanceof StartError) return printable(error.message)
  if (!isDiskFull(error)) return faultText(faultDetails(error) as Fault).trim()
  const disk = error.path === undefined ? error.message : describeDiskOf(dirname(error.path))
  return printable(`Disk full: ${disk}. Free disk space, then start again`)
}
