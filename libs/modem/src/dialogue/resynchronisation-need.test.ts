import { describe, expect, test } from 'vitest'
import { answerLines, dialogueInStep, scriptedDialogue, shown, testQuery } from '../testing/scripted-dialogue.ts'

describe('after silence', () => {
  test('nothing from the queue is written before both ends are in step', async () => {
    const { dialogue, modem, clock, events } = await dialogueInStep()
    modem.reply = (line) => (line === 'AT' ? '' : undefined)
    const first = dialogue.execute(testQuery('CPMS'))
    const second = dialogue.execute(testQuery('COPS'))
    await clock.advance(5000)
    expect(await first).toMatchObject({ kind: 'unanswered', why: 'timeout' })
    expect(modem.written).toEqual(['AT+CPMS?\r', '\x1bAT\r'])
    modem.say('+CPMS: 1,10\r\nOK\r\n')
    expect(modem.written.at(-1)).toBe('AT+COPS?\r')
    modem.say('+COPS: 0\r\nOK\r\n')
    expect(answerLines(await second)).toEqual(['+COPS: 0'])
    expect(shown(events)).toEqual(['state resynchronising', 'stale +CPMS: 1,10', 'state in-step'])
  })

  test('an answer that arrives after resynchronisation is stale, not unsolicited', async () => {
    const { modem, events } = await dialogueInStep()
    modem.say('+CREG: 2,1,"4CA","81DE445",7\r\nOK\r\n+CME ERROR: 3\r\n')
    expect(shown(events)).toEqual(['stale +CREG: 2,1,"4CA","81DE445",7', 'stale OK', 'stale +CME ERROR: 3'])
  })

  test('a modem that does not answer leaves all commands unsent until it answers', async () => {
    const { dialogue, modem, clock } = await dialogueInStep()
    modem.reply = () => ''
    const outcomes = [dialogue.execute(testQuery('CSQ')), dialogue.execute(testQuery('COPS'))]
    await clock.advance(60_000)
    expect(await Promise.all(outcomes)).toMatchObject([
      { kind: 'unanswered' },
      { kind: 'not-sent', why: 'out-of-step' },
    ])
    expect(dialogue.telemetry.state).toBe('out-of-step')
    expect(await dialogue.execute(testQuery('CSQ'))).toEqual({ kind: 'not-sent', why: 'out-of-step' })
    const failed = dialogue.resynchronise()
    await clock.advance(60_000)
    expect(await failed).toEqual({ kind: 'out-of-step', attempts: 6, heard: false, okToAll: false })
    modem.reply = (line) => (line === 'AT+CSQ?' ? '+CSQ: 1,99\r\nOK\r\n' : undefined)
    expect(await dialogue.resynchronise()).toMatchObject({ kind: 'in-step' })
    expect(answerLines(await dialogue.execute(testQuery('CSQ')))).toEqual(['+CSQ: 1,99'])
  })

  test('the late answer of the timed-out command does not end resynchronisation, although a question has the same answer', async () => {
    const { dialogue, modem, clock } = await dialogueInStep()
    modem.reply = (line) => (line === 'AT' ? undefined : '')
    const first = dialogue.execute(testQuery('CMEE'))
    await clock.advance(5000)
    expect(await first).toMatchObject({ kind: 'unanswered', why: 'timeout' })
    modem.say('+CMEE: 1\r\nOK\r\n')
    expect(modem.written).toEqual(['AT+CMEE?\r', '\x1bAT\r', 'AT+CSCS?\r'])
    expect(dialogue.telemetry.state).toBe('resynchronising')
    modem.say('+CSCS: "IRA"\r\nOK\r\n')
    expect(dialogue.telemetry.state).toBe('in-step')
  })

  test('concurrent requests share one resynchronisation', async () => {
    const { dialogue, modem } = scriptedDialogue()
    modem.reply = (line) => (line === 'AT' ? '' : undefined)
    const both = [dialogue.resynchronise(), dialogue.resynchronise()]
    modem.say('OK\r\n')
    expect(await Promise.all(both)).toEqual([
      { kind: 'in-step', attempts: 1, atRefused: false },
      { kind: 'in-step', attempts: 1, atRefused: false },
    ])
    expect(dialogue.telemetry).toMatchObject({ state: 'in-step', resynchronisations: 1 })
  })

  test('a port that answers OK to everything is not a modem', async () => {
    const { dialogue, modem, clock } = scriptedDialogue()
    modem.reply = () => 'OK\r\n'
    const outcome = dialogue.resynchronise()
    await clock.advance(60_000)
    expect(await outcome).toEqual({ kind: 'out-of-step', attempts: 6, heard: true, okToAll: true })
  })

  test('a modem that supports few questions still resynchronises', async () => {
    const { dialogue, modem } = scriptedDialogue()
    modem.reply = (line) => (line.startsWith('AT+CMEE') || line === 'AT+CSCS?' ? 'ERROR\r\n' : undefined)
    expect(await dialogue.resynchronise()).toMatchObject({ kind: 'in-step' })
  })

  test('ends the prompt of a modem that waits for input', async () => {
    const { dialogue, modem } = scriptedDialogue()
    modem.reply = (line) => (line === 'AT' && modem.written.length === 1 ? '> ' : undefined)
    expect(await dialogue.resynchronise()).toMatchObject({ kind: 'in-step' })
    expect(modem.written.slice(0, 2)).toEqual(['\x1bAT\r', '\x1bAT\r'])
  })

  test('a restart ends the command in flight', async () => {
    const { dialogue, modem, events } = await dialogueInStep()
    const outcome = dialogue.execute(testQuery('CSQ'))
    modem.say('RDY\r\n')
    expect(await outcome).toMatchObject({ kind: 'unanswered', why: 'restarted' })
    expect(await dialogue.execute({ text: 'AT', timeoutMs: 1000 })).toMatchObject({ kind: 'ok' })
    expect(shown(events)[0]).toBe('RDY')
  })
})
