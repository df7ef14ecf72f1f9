import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { seededRandom } from '@smsgw/virtual-modem/random'
import { Modem } from '../src/modem.ts'
import { TraceRing } from '../src/wire/trace.ts'
import { parsersOf } from './answer-parsers.ts'
import { NonsensePort } from './nonsense-port.ts'
import { RandomAnswers } from './random-answers.ts'

/** An episode runs one driver until the driver has received `lines` lines. The seed determines the lines. */
export interface EpisodeOptions {
  readonly seed: number
  readonly lines: number
  /** Measures each piece of work that must be fast: receiving or parsing a few lines, or advancing the clock. */
  readonly measure: (work: () => void, what: () => string) => void
  readonly onDone?: (modem: Modem) => void
}

export interface EpisodeReport {
  readonly lines: number
  readonly bytes: number
  /** The errors and rejections, each with the input that caused it. */
  readonly problems: readonly string[]
}

export async function runEpisode({ seed, lines, measure, onDone }: EpisodeOptions): Promise<EpisodeReport> {
  const answers = new RandomAnswers(seededRandom(seed))
  const clock = new ManualClock()
  const port = new NonsensePort(answers)
  const problems: string[] = []
  const trace = new TraceRing(clock)
  const modem = new Modem({ port, clock, onEvent: () => undefined, trace })
  const call = (what: string, promise: Promise<unknown>) =>
    promise.catch((error) => problems.push(`${what}: ${shown(error)}`))
  void call('start', modem.start())
  let linesFed = 0
  let bytes = 0
  while (linesFed < lines && problems.length < mostProblems) {
    const batch = Array.from({ length: batchSize }, () => answers.line())
    linesFed += batch.length
    const payload = answers.once(2) ? undefined : answers.hex(2 * answers.below(90))
    measure(
      () => {
        for (const line of batch) parse(line, payload, problems)
      },
      () => `parse ${JSON.stringify({ batch, payload })}`,
    )
    const said = latin1(joined(batch, answers, port))
    bytes += said.length
    const longest = answers.once(16) ? 1 : answers.oneOf([7, 64, 4_096])
    attempt(
      () =>
        measure(
          () => {
            for (let at = 0; at < said.length; ) {
              const end = at + 1 + answers.below(longest)
              port.receive(said.subarray(at, end))
              at = end
            }
          },
          () => `receive ${JSON.stringify(batch)}`,
        ),
      problems,
      () => `receive ${JSON.stringify(batch)}`,
    )
    if (answers.once(8)) act(modem, answers, call)
    if (answers.once(50)) {
      attempt(
        () =>
          measure(
            () => void trace.entries(),
            () => `show the trace after ${JSON.stringify(batch)}`,
          ),
        problems,
        () => `show the trace after ${JSON.stringify(batch)}`,
      )
    }
    const passMs = answers.oneOf([0, 0, 0, 10, 10, 3_000, 130_000])
    attempt(
      () =>
        measure(
          () => clock.advance(passMs),
          () => `advance the clock by ${passMs} ms`,
        ),
      problems,
      () => `advance the clock by ${passMs} ms`,
    )
    await new Promise((resolve) => setImmediate(resolve))
  }
  onDone?.(modem)
  if (answers.once(2)) {
    attempt(
      () => port.lose(),
      problems,
      () => 'lose the port',
    )
  }
  modem.stop()
  await new Promise((resolve) => setImmediate(resolve))
  return { lines: linesFed, bytes, problems }
}

const mostProblems = 20
const batchSize = 16

function parse(text: string, payload: string | undefined, problems: string[]): void {
  const { line, parsers } = parsersOf(text, payload)
  for (const { name, run } of parsers) {
    attempt(
      () => run([line]),
      problems,
      () => `${name}: ${JSON.stringify(line)}`,
    )
  }
}

/** Inserts the answers to the driver's commands at random places between the lines. */
function joined(batch: readonly string[], answers: RandomAnswers, port: NonsensePort): string {
  let said = ''
  for (const line of batch) {
    said += line + answers.lineEnd()
    if (answers.once(3)) said += port.take()
  }
  return said
}

function act(
  modem: Modem,
  answers: RandomAnswers,
  call: (what: string, promise: Promise<unknown>) => Promise<unknown>,
): void {
  switch (answers.below(6)) {
    case 0:
      void call('start', modem.start())
      break
    case 1:
      void call('sweep', modem.sweep({ again: answers.once(2) }))
      break
    case 2:
      void call('ussd', modem.ussd('*100#'))
      break
    case 3:
      void call('signal', modem.signal())
      break
    case 4:
      void call('resynchronise', modem.resynchronise())
      break
    case 5:
      void call(
        'submit',
        modem.submit({ octets: pdu, tpduLength: pdu.length - 1 }, { id: 'a', beforePdu: async () => 'go' }),
      )
  }
}

const pdu = Uint8Array.of(
  0,
  0x11,
  0,
  0x0b,
  0x91,
  0x64,
  0x07,
  0x28,
  0x15,
  0x53,
  0xf8,
  0,
  0,
  0xaa,
  5,
  0xe8,
  0x32,
  0x9b,
  0xfd,
  6,
)

function latin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}

function attempt(work: () => void, problems: string[], input: () => string): void {
  try {
    work()
  } catch (error) {
    problems.push(`${input()}: ${shown(error)}`)
  }
}

function shown(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
