import { describe, expect, test } from 'vitest'
import type { AtCommand, AtOutcome } from '../dialogue/command.ts'
import { DrivenModem } from '../testing/driven-modem.ts'
import { ManualClock } from '../testing/manual-clock.ts'
import { BriefWaits } from './brief-waits.ts'
import type { StartupContext } from './startup-context.ts'

const silence = { kind: 'unanswered', why: 'timeout', lines: [] } as const
const ok = { kind: 'ok', lines: [] } as const
const refusal = { kind: 'error', error: { text: 'ERROR' }, lines: [] } as unknown as AtOutcome
const question: AtCommand = { text: 'AT+CGMM', timeoutMs: 5_000 }

/** Executes commands with these outcomes. Each resynchronisation takes the given time. */
function briefWaits(outcomes: readonly AtOutcome[], resynchronisationMs = 50) {
  const clock = new ManualClock()
  const timeLimits: number[] = []
  const left = [...outcomes]
  const dialogue = {
    execute: async ({ timeoutMs }: AtCommand) => {
      timeLimits.push(timeoutMs)
      return left.shift() ?? ok
    },
    resynchronise: async () => clock.sleep(resynchronisationMs),
  } as unknown as StartupContext['dialogue']
  return { waits: new BriefWaits(dialogue, clock), timeLimits }
}

async function timeLimitsAfter(outcomes: readonly AtOutcome[], command = question): Promise<readonly number[]> {
  const { waits, timeLimits } = briefWaits(outcomes)
  for (const _ of outcomes) await waits.execute(question)
  await waits.execute(command)
  return timeLimits
}

describe('the driver waits briefly', () => {
  test('after three commands without an answer, but not after two', async () => {
    expect(await timeLimitsAfter([silence, silence])).toEqual([5_000, 5_000, 5_000])
    expect(await timeLimitsAfter([silence, ok, silence, silence])).toEqual([5_000, 5_000, 5_000, 5_000, 1_000])
  })

  test('not for a modem that has answered with an error', async () => {
    expect(await timeLimitsAfter([refusal, silence, silence, silence])).toEqual(Array(5).fill(5_000))
  })

  test('not for the PIN and for the radio', async () => {
    const silences = [silence, silence, silence]
    const pin: AtCommand = { text: 'AT+CPIN="1234"', timeoutMs: 15_000, sensitivity: 'secret' }
    expect((await timeLimitsAfter(silences, pin)).at(-1)).toBe(15_000)
    expect((await timeLimitsAfter(silences, { text: 'AT+CFUN=1', timeoutMs: 30_000 })).at(-1)).toBe(30_000)
  })

  test('and repeats a command that only was slow, and then has patience', async () => {
    const { waits, timeLimits } = briefWaits([silence, silence, silence, silence, ok], 2_000)
    for (let i = 0; i < 3; i += 1) await waits.execute(question)
    expect(await waits.execute(question)).toBe(ok)
    await waits.execute(question)
    expect(timeLimits).toEqual([5_000, 5_000, 5_000, 1_000, 5_000, 5_000])
  })
})

/** A modem that ignores unsupported commands, and takes longer for the commands that match. */
function slowModem(slow: RegExp, delayMs: number, answers: Readonly<Record<string, string>> = {}, simPin?: string) {
  const ignored = ['AT+CFUN?', 'AT+CSCS=*', 'AT+CSMS=*', 'AT+CSMS?', 'AT+CNUM'].map((command) => [command, 'raw:'])
  const driven = new DrivenModem(
    { ...Object.fromEntries(ignored), ...answers },
    { ...(simPin !== undefined && { simPin }) },
  )
  const reply = driven.port.reply
  let freeAtMs = 0
  let waiting = 0
  driven.port.reply = (line) => {
    const answer = reply(line)?.replace('\r\nERROR\r\n', '')
    const nowMs = driven.clock.nowMs()
    freeAtMs = Math.max(freeAtMs, nowMs) + (slow.test(line) ? delayMs : 0)
    if (answer === '' || (waiting === 0 && freeAtMs === nowMs)) return answer
    waiting += 1
    driven.clock.after(freeAtMs - nowMs, () => {
      waiting -= 1
      driven.port.say(answer ?? inStep[line] ?? '')
    })
    return ''
  }
  return driven
}

const inStep: Readonly<Record<string, string>> = {
  AT: '\r\nOK\r\n',
  'AT+CMEE?': '\r\n+CMEE: 1\r\n\r\nOK\r\n',
  'AT+CSCS?': '\r\n+CSCS: "IRA"\r\n\r\nOK\r\n',
  'AT+CMEE=?': '\r\n+CMEE: (0-2)\r\n\r\nOK\r\n',
}

describe('a modem that ignores unsupported commands is set up completely although it is slow', () => {
  test.each([
    ['to read the state of the SIM', /CPIN|CIMI/, 3_500],
    ['to select a memory', /CPMS/, 4_000],
    ['to select indications', /CNMI=/, 2_000],
    ['to read the SIM', /CSCA|CIMI/, 3_000],
  ] as const)('%s', async (_, slow, delayMs) => {
    const { shortcomings, sim } = await slowModem(slow, delayMs).session()
    expect(shortcomings).toEqual([])
    expect(sim).toMatchObject({ imsi: '262011234567890', serviceCentre: { number: '+491710760000' } })
  })

  test('and enters the PIN once', async () => {
    const driven = slowModem(/CPIN/, 2_500, { 'AT+CPIN?': '+CPIN: SIM PIN', 'AT+CPINR': '+CPINR: SIM PIN,3,3' }, '1234')
    const reply = driven.port.reply
    driven.port.reply = (line) => {
      if (line.startsWith('AT+CPIN="')) driven.port.answer('AT+CPIN?', '+CPIN: READY')
      return reply(line)
    }
    driven.port.answer('AT+CPIN="1234"', 'OK')
    await driven.session()
    expect(driven.port.commands.filter((command) => command.startsWith('AT+CPIN="'))).toHaveLength(1)
  })
})

test('gets in step with a modem that answers only two questions, and none of them while it starts', async () => {
  const questions = ['AT+CMEE?', 'AT+CSCS?', 'AT+CMEE=?', 'AT+GCAP', 'AT+CPAS', 'AT+CMGF?', 'AT+CNMI?']
  const driven = new DrivenModem(Object.fromEntries(questions.map((question) => [question, 'raw:'])))
  const started = driven.modem.start()
  await driven.pass(21_000)
  driven.port.answer('AT+CMGF?', '+CMGF: 0')
  driven.port.answer('AT+CNMI?', '+CNMI: 2,1,0,1,0')
  expect((await driven.passing(started)).kind).toBe('started')
})
