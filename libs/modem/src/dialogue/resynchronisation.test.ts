import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ManualClock, promisesSettled } from '../testing/manual-clock.ts'
import type { BytePort } from '../wire/byte-port.ts'
import type { AtCommand } from './command.ts'
import { Dialogue } from './dialogue.ts'

interface Fate {
  readonly heard: boolean
  readonly delayMs: number
  readonly answered: boolean
}

/**
 * A very slow and unreliable modem. It processes commands in order, soon or much later, but misses some commands and
 * loses some answers.
 */
class SlowModem implements BytePort {
  readonly #clock: ManualClock
  readonly #fates: readonly Fate[]
  readonly #unsupported: readonly string[]
  readonly #ignored: readonly string[]
  readonly #waiting: { line: string; fate: Fate }[] = []
  #commands = 0
  #line = ''
  #busy = false
  #onBytes: (bytes: Uint8Array) => void = () => undefined

  constructor(clock: ManualClock, fates: readonly Fate[], unsupported: readonly string[], ignored: readonly string[]) {
    this.#clock = clock
    this.#fates = fates
    this.#unsupported = unsupported
    this.#ignored = ignored
  }

  write(bytes: Uint8Array): void {
    for (const char of String.fromCharCode(...bytes)) {
      if (char === '\x1b') this.#line = ''
      else if (char !== '\r') this.#line += char
      else this.#take()
    }
  }

  onBytes(listener: (bytes: Uint8Array) => void): void {
    this.#onBytes = listener
  }

  onClosed(): void {
    // Does nothing, because this port never closes.
  }

  #take(): void {
    const fate = this.#fates[this.#commands % this.#fates.length]
    this.#commands += 1
    if (fate?.heard) this.#waiting.push({ line: this.#line, fate })
    this.#line = ''
    this.#work()
  }

  #work(): void {
    const next = this.#busy ? undefined : this.#waiting.shift()
    if (!next) return
    this.#busy = true
    this.#clock.after(next.fate.delayMs, () => {
      this.#busy = false
      if (next.fate.answered && !this.#ignored.includes(next.line)) {
        const answer = this.#unsupported.includes(next.line) ? '\r\nERROR\r\n' : answerTo(next.line)
        this.#onBytes(Uint8Array.from(answer, (char) => char.charCodeAt(0)))
      }
      this.#work()
    })
  }
}

/** All commands of the test have answers of the same form; only the number shows which command was answered. */
function answerTo(line: string): string {
  const number = /^AT\+TEST=(\d+)$/.exec(line)?.[1]
  if (number !== undefined) return `\r\n+TEST: ${number}\r\n\r\n${Number(number) % 3 === 0 ? 'ERROR' : 'OK'}\r\n`
  switch (line) {
    case 'AT+CMEE?':
      return '\r\n+CMEE: 1\r\n\r\nOK\r\n'
    case 'AT+CMEE=?':
      return '\r\n+CMEE: (0-2)\r\n\r\nOK\r\n'
    case 'AT+CSCS?':
      return '\r\n+CSCS: "IRA"\r\n\r\nOK\r\n'
    case 'AT+GCAP':
      return '\r\n+GCAP: +CGSM\r\n\r\nOK\r\n'
    case 'AT+CPAS':
      return '\r\n+CPAS: 0\r\n\r\nOK\r\n'
    case 'AT+CMGF?':
      return '\r\n+CMGF: 0\r\n\r\nOK\r\n'
    case 'AT+CNMI?':
      return '\r\n+CNMI: 2,1,0,0,0\r\n\r\nOK\r\n'
    case 'AT':
      return '\r\nOK\r\n'
    default:
      return '\r\nERROR\r\n'
  }
}

const testCommand = (number: number): AtCommand => ({
  text: `AT+TEST=${number}`,
  prefixes: ['+TEST'],
  timeoutMs: 3_000,
})

const fate: fc.Arbitrary<Fate> = fc.record({
  heard: fc.constantFrom(true, true, true, true, false),
  delayMs: fc.constantFrom(0, 0, 0, 1, 50, 2_400, 2_600, 4_000, 9_000, 31_000),
  answered: fc.constantFrom(true, true, true, true, false),
})

test('a late answer is never used for another command, even if other answers are late or lost', async () => {
  let inTime = 0
  let late = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fate, { minLength: 1, maxLength: 40 }),
      fc.subarray(['AT+CMEE?', 'AT+CMEE=?', 'AT+CSCS?', 'AT+GCAP', 'AT+CPAS'], { maxLength: 3 }),
      fc.subarray(['AT+CMEE?', 'AT+CMEE=?', 'AT+CSCS?', 'AT+CMGF?'], { maxLength: 3 }),
      async (fates, unsupported, ignored) => {
        const clock = new ManualClock()
        const dialogue = new Dialogue({
          port: new SlowModem(clock, fates, unsupported, ignored),
          clock,
          onEvent: () => undefined,
        })
        for (let number = 1; number <= 12; number += 1) {
          const outcome = await ended(clock, dialogue.execute(testCommand(number)))
          switch (outcome.kind) {
            case 'ok':
            case 'error':
              inTime += 1
              expect(outcome.kind).toBe(number % 3 === 0 ? 'error' : 'ok')
              expect(outcome.lines.map((line) => line.text)).toEqual([`+TEST: ${number}`])
              break
            case 'unanswered':
              late += 1
              break
            case 'not-sent':
              await ended(clock, dialogue.resynchronise())
          }
        }
      },
    ),
    { numRuns: 1000 },
  )
  // The test is only meaningful if both punctual and late answers occur often.
  expect(Math.min(inTime, late)).toBeGreaterThan(500)
})

test('a device that answers each command with several errors gets a limited number of commands', async () => {
  const clock = new ManualClock()
  let hear: (bytes: Uint8Array) => void = () => undefined
  let commands = 0
  const port: BytePort = {
    write: () => {
      commands += 1
      clock.after(100, () => hear(Buffer.from('\r\nERROR\r\n\r\nERROR\r\n')))
    },
    onBytes: (listener) => {
      hear = listener
    },
    onClosed: () => undefined,
  }
  const dialogue = new Dialogue({ port, clock, onEvent: () => undefined })
  expect(await ended(clock, dialogue.resynchronise())).toMatchObject({ kind: 'out-of-step', heard: true })
  expect(commands).toBeLessThan(60)
})

async function ended<Outcome>(clock: ManualClock, promise: Promise<Outcome>): Promise<Outcome> {
  let outcome: { value: Outcome } | undefined
  promise.then((value) => {
    outcome = { value }
  })
  await promisesSettled()
  for (let i = 0; outcome === undefined && i < 100; i += 1) await clock.advance(1_000)
  if (outcome === undefined) throw new Error('it hangs')
  return outcome.value
}
