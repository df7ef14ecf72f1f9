import { randomInt } from 'node:crypto'
import { type Options, readConfig } from './config.ts'
import { type Emulator, startEmulator } from './emulator.ts'
import { helpText } from './help.ts'
import { addressJson, addressLines, reportLines } from './report-lines.ts'
import { StartError } from './start-error.ts'
import { harmless } from './terminal-text.ts'
import { startView, type View } from './view/view.ts'

let emulator: Emulator | undefined
let view: View | undefined
let ending = false

process.on('SIGINT', () => void end(0))
process.on('SIGTERM', () => void end(0))
process.on('SIGHUP', () => void end(0))
process.on('uncaughtException', fail)
// A reader that has gone away (`… | head`) is no reason to die.
process.stdout.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' || fail(error))

await main().catch(fail)

async function main(): Promise<void> {
  const options = readConfig(process.argv.slice(2), process.env)
  if (options === 'help') {
    process.stdout.write(helpText())
    return
  }
  const started = await startEmulator(options, options.seed ?? randomInt(2 ** 31), fail)
  emulator = started
  if (ending) await started.close()
  else show(started, outputOf(options))
}

function show(started: Emulator, output: Options['output']): void {
  const print = (line: string) => process.stdout.write(`${line}\n`)
  if (output === 'view') {
    view = startView(started, () => void end(0))
  } else if (output === 'json') {
    print(addressJson(started))
  } else if (output === 'lines') {
    for (const line of addressLines(started)) print(line)
    reportLines(started, print)
  }
}

/** A view needs a terminal on both sides; without one it is off. */
function outputOf({ output }: Options): Options['output'] {
  if (output !== 'auto' && output !== 'view') return output
  return process.stdout.isTTY && process.stdin.isTTY ? 'view' : 'lines'
}

/** Gives back links, ports and the terminal; asked a second time, leaves at once. */
async function end(exitCode: number): Promise<void> {
  if (ending) process.exit(1)
  ending = true
  view?.close()
  await emulator?.close()
  process.exit(exitCode)
}

/** One clear line for what the user can mend; everything else with its trace. */
function fail(error: unknown): void {
  view?.close()
  const text =
    error instanceof StartError ? harmless(error.message) : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`emulator: ${text}\n`)
  if (ending) process.exit(1)
  void end(1).catch(() => process.exit(1))
}
