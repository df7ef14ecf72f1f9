import { UsageError } from '@smsgw/daemon/start-error'
import { VERSION } from '@smsgw/daemon/version'
import { DialogueRecorder } from '@smsgw/modem/recording/dialogue-recorder'
import { linesOf, printError, printLine } from '../cli/terminal.ts'
import { PortError } from '../ports/port-error.ts'
import { modemToolHelp, readArguments, type ToolCommand } from './arguments.ts'
import { Connection, ToolError } from './connection.ts'
import { printIdentity } from './identify.ts'
import { deleteAll, deleteOne, list, printReceived } from './messages.ts'
import { record } from './record.ts'
import { send } from './send.ts'
import { tracePrinter } from './trace-printer.ts'
import { watchModem } from './watch.ts'

/** Time limits for whole commands. Each limit is longer than the steps of its command can take. */
const limitMinutes: Partial<Record<ToolCommand['name'], number>> = {
  identify: 5,
  send: 30,
  list: 15,
  delete: 15,
  'delete-all': 15,
  ussd: 15,
  record: 30,
}

const interrupted = new AbortController()

// A second signal exits without waiting for the port to close.
process.once('SIGINT', () => interrupt())
process.once('SIGTERM', () => interrupt())
// A closed pipe (`… | head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? 0 : fail(new ToolError(`cannot write the output: ${error.message}`))),
)
process.stderr.on('error', () => undefined)

// Exits at once, without waiting for pending timers.
process.exit(await main())

async function main(): Promise<number> {
  let connection: Connection | undefined
  try {
    const request = readArguments(process.argv.slice(2))
    if (request.do === 'help') {
      process.stdout.write(modemToolHelp)
      return 0
    }
    if (request.do === 'version') {
      process.stdout.write(`${VERSION}\n`)
      return 0
    }
    const { address, command, pin, trace } = request
    const recorder = command.name === 'record' ? new DialogueRecorder() : undefined
    connection = await Connection.open({ address, pin, trace: recorder ?? tracePrinter(trace, printError) })
    return await untilInterrupted(command, withinLimit(command, run(connection, command, recorder)))
  } catch (error) {
    return fail(error)
  } finally {
    await connection?.close()
  }
}

function run(connection: Connection, command: ToolCommand, recorder = new DialogueRecorder()): Promise<void> {
  switch (command.name) {
    case 'watch':
      return watchModem(connection, interrupted.signal)
    case 'identify':
      return connection.ready('set-up').then(printIdentity)
    case 'send':
      return send(connection, command, interrupted.signal)
    case 'receive':
      return printReceived(connection, command.remove, interrupted.signal)
    case 'list':
      return list(connection)
    case 'delete':
      return deleteOne(connection, command.memory, command.index)
    case 'delete-all':
      return deleteAll(connection)
    case 'ussd':
      return printUssd(connection, command.codes)
    case 'record':
      return record(connection, recorder, command, interrupted.signal)
  }
}

/** Applies the time limit of a command. `watch` and `receive` only have a limit until the modem is ready. */
function withinLimit(command: ToolCommand, work: Promise<void>): Promise<void> {
  const minutes = limitMinutes[command.name]
  if (minutes === undefined) return work
  return new Promise((resolve, reject) => {
    const words = `${command.name} did not finish within ${minutes} minutes: unplug the modem for ten seconds, then try again.`
    const timer = setTimeout(
      () =>
        reject(
          command.name === 'send' ? new ToolError(`${words} The message may have been sent.`, 3) : new ToolError(words),
        ),
      minutes * 60_000,
    )
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** A signal is the normal end of `watch` and `receive`, but interrupts the other commands. */
function untilInterrupted(command: ToolCommand, work: Promise<void>): Promise<number> {
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

/** Prints one line for errors that the user can fix, and a stack trace for all others. */
function fail(error: unknown): number {
  const known = error instanceof ToolError || error instanceof PortError || error instanceof UsageError
  if (known) printError(`modem: ${error.message}`)
  else for (const line of linesOf(`modem: ${error instanceof Error ? error.stack : String(error)}`)) printError(line)
  if (error instanceof UsageError) return 2
  return error instanceof ToolError ? error.exitCode : 1
}

/** Sends a code, then the replies to the menus of the network. */
async function printUssd(connection: Connection, codes: readonly string[]): Promise<void> {
  const modem = await connection.ready('network')
  for (const [at, code] of codes.entries()) {
    const outcome = await modem.ussd(code)
    switch (outcome.kind) {
      case 'answer':
        if (outcome.status === 'not-supported') throw new ToolError('The network does not support this USSD code.')
        if (outcome.status === 'network-timeout') throw new ToolError('The network did not answer in time.')
        for (const line of linesOf(outcome.text ?? `(${outcome.status})`)) printLine(line)
        if (outcome.status === 'asks' && at + 1 === codes.length) {
          printLine('(the network expects a reply: add it after the code)')
          await modem.cancelUssd()
        }
        if (outcome.status !== 'asks' && at + 1 < codes.length)
          throw new ToolError('The network does not expect a reply.')
        break
      case 'refused':
        throw new ToolError(`${outcome.error.text}. ${outcome.error.words} ${outcome.error.advice}`)
      case 'no-answer':
        throw new ToolError('The network did not answer.')
      case 'text-not-writable':
        throw new ToolError(
          'This modem cannot send these characters. Use unaccented letters, digits and punctuation, but no quotation marks.',
        )
      case 'not-ready':
        throw new ToolError('The modem was lost before the network answered.')
    }
  }
}
