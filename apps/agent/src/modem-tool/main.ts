import { PortError } from '../ports/port-error.ts'
import { type Command, readArguments, UsageError } from './arguments.ts'
import { Connection } from './connection.ts'
import { helpText } from './help.ts'
import { identify } from './identify.ts'
import { printError } from './print.ts'
import { linesOf } from './printable.ts'
import { receive } from './receive.ts'
import { send } from './send.ts'
import { deleteAll, deleteOne, list } from './stored-messages.ts'
import { ToolError } from './tool-error.ts'
import { tracePrinter } from './trace-printer.ts'
import { ussd } from './ussd.ts'
import { watch } from './watch.ts'

const interrupted = new AbortController()

// A second one does not wait for the port to be given back.
process.once('SIGINT', () => interrupt())
process.once('SIGTERM', () => interrupt())
// A reader that has gone away (`… | head`) is no reason to die loudly.
process.stdout.on('error', () => process.exit(0))

process.exitCode = await main()

async function main(): Promise<number> {
  let connection: Connection | undefined
  try {
    const request = readArguments(process.argv.slice(2))
    if (request.do === 'help') {
      process.stdout.write(helpText)
      return 0
    }
    const { address, command, pin, trace } = request
    connection = await Connection.open({
      address,
      pin,
      trace: tracePrinter(trace, printError),
    })
    return await untilInterrupted(command, run(connection, command))
  } catch (error) {
    return fail(error)
  } finally {
    await connection?.close()
  }
}

function run(connection: Connection, command: Command): Promise<void> {
  switch (command.name) {
    case 'watch':
      return watch(connection, interrupted.signal)
    case 'identify':
      return connection.ready('set-up').then(identify)
    case 'send':
      return send(connection, command, interrupted.signal)
    case 'receive':
      return receive(connection, command.remove, interrupted.signal)
    case 'list':
      return list(connection)
    case 'delete':
      return deleteOne(connection, command.memory, command.index)
    case 'delete-all':
      return deleteAll(connection)
    case 'ussd':
      return ussd(connection, command.codes)
  }
}

/** To be ended is how `watch` and `receive` end; the others were not done yet. */
function untilInterrupted(command: Command, work: Promise<void>): Promise<number> {
  const endless = command.name === 'watch' || command.name === 'receive'
  return new Promise((resolve, reject) => {
    interrupted.signal.addEventListener('abort', () => resolve(endless ? 0 : 130), { once: true })
    work.then(() => resolve(0), reject)
  })
}

function interrupt(): void {
  process.on('SIGINT', () => process.exit(130))
  process.on('SIGTERM', () => process.exit(143))
  interrupted.abort()
}

/** One clear line for what the user can mend; everything else with its trace. */
function fail(error: unknown): number {
  const known = error instanceof ToolError || error instanceof PortError || error instanceof UsageError
  if (known) printError(`modem: ${error.message}`)
  else for (const line of linesOf(`modem: ${error instanceof Error ? error.stack : String(error)}`)) printError(line)
  if (error instanceof UsageError) return 2
  return error instanceof ToolError ? error.exitCode : 1
}
