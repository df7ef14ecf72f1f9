import { Modem } from '@smsgw/modem/modem'
import { type OpenPort, openPort } from '../src/ports/open-port.ts'
import { EmulatorProcess } from '../src/testing/emulator-process.ts'
import { monotonicClock } from '../src/time/monotonic-clock.ts'
import { rawRound } from './raw-round.ts'
import { message, type Round } from './round.ts'

/**
 * Compares the driver with a loop that only exchanges the same bytes on the same port. Rounds of the driver and of the
 * loop alternate, so that other programs on the machine affect both in the same way. The emulator answers without a
 * delay.
 */
const rounds = 9
const perRound = 400
const requiredPerSecond = 800
const requiredRatio = 0.2

const rows: Row[] = []
await measure('no ledger', [])
await measure('ledger synced', ['--ledger', 'ledger.jsonl'])
print(table(rows))
const pty = rows.find(({ port, ledger, work }) => port === 'pty' && ledger === 'no ledger' && work === 'submit')
const fast = pty !== undefined && pty.driver >= requiredPerSecond && pty.ratio >= requiredRatio
print(
  `goal on the pseudo-terminal: ${requiredPerSecond} submissions a second and ${requiredRatio} times the rate of the raw loop: ${fast ? 'reached' : 'NOT REACHED'}`,
)
process.exitCode = fast ? 0 : 1

interface Row {
  readonly port: 'pty' | 'tcp'
  readonly ledger: string
  readonly work: 'dialogue' | 'submit'
  /** Medians, per second. */
  readonly driver: number
  readonly raw: number
  /** Medians of the ratios of neighbouring rounds. */
  readonly ratio: number
  readonly overheadMicroseconds: number
}

async function measure(ledger: string, options: readonly string[]): Promise<void> {
  const emulator = await EmulatorProcess.start(['--chunking', 'whole', '--personality', 'generic', ...options])
  try {
    for (const port of ['pty', 'tcp'] as const) {
      const address = port === 'pty' ? emulator.pty : emulator.tcp
      const raw: Round[] = []
      const driver: Round[] = []
      for (let round = 0; round < rounds; round += 1) {
        raw.push(await onPort(address, (opened) => rawRound(opened, perRound)))
        driver.push(await onPort(address, (opened) => driverRound(opened, perRound)))
      }
      for (const work of ['dialogue', 'submit'] as const)
        rows.push({ port, ledger, work, ...compared(raw, driver, work) })
    }
  } finally {
    await emulator.stop()
  }
}

function compared(raw: readonly Round[], driver: readonly Round[], work: keyof Round) {
  const pairs = driver.map((round, at) => [round[work] / perRound, (raw[at]?.[work] ?? Number.NaN) / perRound] as const)
  return {
    driver: medianOf(pairs.map(([ours]) => 1000 / ours)),
    raw: medianOf(pairs.map(([, floor]) => 1000 / floor)),
    ratio: medianOf(pairs.map(([ours, floor]) => floor / ours)),
    overheadMicroseconds: medianOf(pairs.map(([ours, floor]) => 1000 * (ours - floor))),
  }
}

async function onPort(
  address: string,
  run: (port: Awaited<ReturnType<typeof openPort>>) => Promise<Round>,
): Promise<Round> {
  const port = await openPort(address)
  try {
    return await run(port)
  } finally {
    await port.close()
  }
}

function table(of: readonly Row[]): string {
  const head = ['port', 'ledger', 'work', 'driver /s', 'raw loop /s', 'ratio', 'overhead']
  const body = of.map(({ port, ledger, work, driver, raw, ratio, overheadMicroseconds }) => [
    port,
    ledger,
    work,
    driver.toFixed(0),
    raw.toFixed(0),
    ratio.toFixed(2),
    `${overheadMicroseconds.toFixed(0)} µs`,
  ])
  const widths = head.map((title, column) => Math.max(title.length, ...body.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column < 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
  return [head, ...body].map(line).join('\n')
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? Number.NaN
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Uses the driver as the agent does: sends each message when the result of the previous message is known. */
async function driverRound(port: OpenPort, count: number): Promise<Round> {
  const modem = new Modem({ port, clock: monotonicClock, onEvent: () => undefined })
  const outcome = await modem.start()
  if (outcome.kind !== 'started') throw new Error(`the modem could not be set up: ${JSON.stringify(outcome)}`)
  // Performs the tasks that follow the start of a modem, such as reading messages and the network state, so that they
  // are not measured.
  await modem.sweep()
  const startMs = performance.now()
  for (let done = 0; done < count; done += 1) {
    const answer = await modem.ask({ text: 'AT', timeoutMs: 5_000, read: () => true })
    if (answer.kind !== 'value') throw new Error(`AT: ${JSON.stringify(answer)}`)
  }
  const betweenMs = performance.now()
  for (let done = 0; done < count; done += 1) {
    const submitted = await modem.submit(message, { id: String(done), beforePdu: async () => 'go' })
    if (submitted.kind !== 'accepted') throw new Error(`message ${done}: ${JSON.stringify(submitted)}`)
  }
  const endMs = performance.now()
  modem.stop()
  return { dialogue: betweenMs - startMs, submit: endMs - betweenMs }
}
