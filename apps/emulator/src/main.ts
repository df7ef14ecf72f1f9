import { randomInt } from 'node:crypto'
import { StartError } from '@smsgw/daemon/start-error'
import { VERSION } from '@smsgw/daemon/version'
import { type RunningEmulator, startEmulator } from './emulator.ts'
import { type Options, readEmulatorOptions } from './options/config.ts'
import { emulatorHelp } from './options/help.ts'
import { addressJson, addressLines, reportLines } from './output/report-lines.ts'
import { harmless } from './output/terminal-text.ts'

let running: { close(): Promise<void> } | undefined
let ending = false

process.on('SIGINT', () => void end(0))
process.on('SIGTERM', () => void end(0))
process.on('SIGHUP', () => void end(0))
process.on('uncaughtException', fail)
// Ignores write errors, because a full disk or a closed pipe (`… | head`) must not stop the modems.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)

await main().catch(fail)

async function main(): Promise<void> {
  const options = readEmulatorOptions(process.argv.slice(2), process.env)
  if (options === 'help') {
    process.stdout.write(emulatorHelp())
    return
  }
  if (options === 'version') {
    process.stdout.write(`${VERSION}\n`)
    return
  }
  if (options.replay !== undefined) {
    await startReplay(options, options.replay)
    return
  }
  const started = await startEmulator(options, options.seed ?? randomInt(2 ** 31), fail)
  running = started
  if (ending) await started.close()
  else show(started, options.output)
}

async function startReplay(options: Options, file: string): Promise<void> {
  const { ReplayedModems } = await import('./replay.ts')
  const replay = await ReplayedModems.start(file, options, fail)
  running = replay
  if (ending) await replay.close()
  else if (options.output === 'json') print(replay.addressJson())
  else if (options.output === 'lines') print(replay.addressLine())
}

function show(started: RunningEmulator, output: Options['output']): void {
  if (output === 'json') print(addressJson(started))
  if (output !== 'lines') return
  for (const line of addressLines(started)) print(line)
  reportLines(started, print)
}

let dropped = 0

/**
 * Prints a line, or drops it when stdout cannot be written. Reports the number of dropped lines once writing works
 * again.
 */
function print(line: string): void {
  process.stdout.write(`${line}\n`, (error) => {
    if (error) dropped += 1
    if (error || dropped === 0) return
    const lines = dropped
    dropped = 0
    print(`${lines} lines were dropped`)
  })
}

/** Releases links and ports, then exits; a second signal exits at once. */
async function end(exitCode: number): Promise<void> {
  if (ending) process.exit(1)
  ending = true
  await running?.close()
  process.exit(exitCode)
}

/** Prints one line for an error that the user can fix, and a stack trace for any other error. */
function fail(error: unknown): void {
  const text =
    error instanceof StartError ? harmless(error.message) : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`emulator: ${text}\n`)
  if (ending) process.exit(1)
  void end(error instanceof StartError ? error.exitCode : 1).catch(() => process.exit(1))
}
