import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { promisesSettled } from '../testing/manual-clock.ts'
import {
  answerLines,
  dialogueInStep,
  scriptedDialogue,
  settledFlag,
  shown,
  testQuery,
} from '../testing/scripted-dialogue.ts'

describe('a lost port', () => {
  test('a lost port ends all waiting commands and all later commands', async () => {
    const { dialogue, modem, clock, events } = await dialogueInStep()
    const outcomes = [dialogue.execute(testQuery('CSQ')), dialogue.execute(testQuery('COPS'))]
    const step = dialogue.resynchronise()
    modem.lose()
    expect(await Promise.all(outcomes)).toMatchObject([
      { kind: 'unanswered', why: 'port-lost' },
      { kind: 'not-sent', why: 'port-lost' },
    ])
    expect(await step).toEqual({ kind: 'closed' })
    expect(await dialogue.resynchronise()).toEqual({ kind: 'closed' })
    expect(await dialogue.execute(testQuery('CSQ'))).toEqual({ kind: 'not-sent', why: 'port-lost' })
    expect(shown(events)).toEqual(['state closed'])
    expect(clock.pending).toBe(0)
  })

  test('a port whose loss is detected only during a write is handled like any other lost port', async () => {
    const { dialogue, modem } = await dialogueInStep()
    modem.write = () => {
      throw new Error('EIO')
    }
    expect(await dialogue.execute(testQuery('CSQ'))).toMatchObject({ kind: 'unanswered', why: 'port-lost' })
    expect(dialogue.telemetry.state).toBe('closed')
  })

  test('a port that closes during a successful write is handled as lost', async () => {
    const { dialogue, modem } = await dialogueInStep()
    modem.write = () => modem.lose()
    expect(await dialogue.execute(testQuery('CSQ'))).toMatchObject({ kind: 'unanswered', why: 'port-lost' })
    expect(dialogue.telemetry.state).toBe('closed')
  })
})

test('the dialogue continues after noise: every command ends, and the next command is answered', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 12 }), async (noise) => {
      const { dialogue, modem, clock } = await dialogueInStep({ maximumLineLength: 64 })
      modem.reply = () => ''
      const outcome = settledFlag(dialogue.execute(testQuery('CSQ')))
      for (const bytes of noise) {
        modem.say(String.fromCharCode(...bytes))
        await clock.advance(300)
      }
      await clock.advance(200_000)
      expect(outcome.done).toBe(true)
      modem.reply = (line) => (line === 'AT+CSQ?' ? '\r\n+CSQ: 1,99\r\nOK\r\n' : undefined)
      modem.say('\r\n')
      const back = dialogue.resynchronise()
      await clock.advance(60_000)
      expect(await back).toMatchObject({ kind: 'in-step' })
      expect(answerLines(await dialogue.execute(testQuery('CSQ')))).toEqual(['+CSQ: 1,99'])
    }),
    { numRuns: 100 },
  )
})

test('telemetry masks the secrets of the command in flight', async () => {
  const { dialogue } = await dialogueInStep()
  dialogue.execute({ text: 'AT+CPIN="1234"', timeoutMs: 5000, sensitivity: 'secret' })
  expect(dialogue.telemetry.inFlight).toBe('AT+CPIN=<secret 6>')
})

test('telemetry counts bytes, timeouts and resynchronisations', async () => {
  const { dialogue, modem, clock } = scriptedDialogue()
  const first = dialogue.execute(testQuery('CSQ'))
  expect(dialogue.telemetry).toMatchObject({
    lastByteAtMs: 0,
    timeouts: 0,
    resynchronisations: 1,
    bytesSent: ['\x1bAT\r', 'AT+CMEE?\r', 'AT+CSQ?\r'].join('').length,
    bytesReceived: ['\r\nOK\r\n', '\r\n+CMEE: 1\r\n', '\r\nOK\r\n'].join('').length,
  })
  await clock.advance(1_000)
  modem.say('\r\n')
  expect(dialogue.telemetry.lastByteAtMs).toBe(1_000)
  await clock.advance(5_000)
  expect(await first).toMatchObject({ kind: 'unanswered', why: 'timeout' })
  expect(dialogue.telemetry).toMatchObject({ timeouts: 1, resynchronisations: 2 })
})

test('the dialogue leaves no timer running', async () => {
  const { dialogue, modem, clock } = await dialogueInStep()
  modem.reply = () => 'OK\r\n'
  await dialogue.execute(testQuery('CSQ'))
  await promisesSettled()
  expect(clock.pending).toBe(0)
})

test('the dialogue writes no byte of a command that contains a line end, so a text cannot add a second command', async () => {
  const { dialogue, modem } = await dialogueInStep()
  for (const text of ['AT+CUSD=1,"*100#"\rAT+CMGD=1,4\r",15', 'AT+CSCA="+44\x1a"', 'AT+CUSD=1,"\u010d",15']) {
    expect(await dialogue.execute({ text, timeoutMs: 5_000 })).toEqual({ kind: 'not-sent', why: 'unwritable' })
  }
  expect(modem.written).toEqual([])
  const next = dialogue.execute(testQuery('CSQ'))
  modem.say('+CSQ: 20,99\r\nOK\r\n')
  expect(await next).toMatchObject({ kind: 'ok' })
})

test('a line of text that looks like a result ends only the current command, whose late result does not end the next command', async () => {
  const { dialogue, modem, clock } = await dialogueInStep()
  const first = dialogue.execute(testQuery('CNMI'))
  const second = dialogue.execute({ text: 'AT+CMGR=1', prefixes: ['+CMGR'], timeoutMs: 5_000 })
  modem.reply = (line) => (line === 'AT+CMGR=1' ? '\r\n+CMGR: 1,,23\r\n\r\nOK\r\n' : undefined)
  modem.say('\r\n+CUSD: 0,"say "hi"\r\n+CMS ERROR: 38\r\nbye",15\r\n')
  expect(await first).toMatchObject({ kind: 'error' })
  await clock.advance(20)
  modem.say('\r\n+CNMI: 2,1,0,2,0\r\n\r\nOK\r\n')
  expect(modem.written).toEqual(['AT+CNMI?\r'])
  await clock.advance(1_000)
  expect(await second).toMatchObject({ kind: 'ok', lines: [{ text: '+CMGR: 1,,23' }] })
})
