import { describe, expect, test } from 'vitest'
import { Cancellation } from '../cancellation.ts'
import { answerLines, dialogueInStep, scriptedDialogue, shown, testQuery } from '../testing/scripted-dialogue.ts'

describe('one command is in flight', () => {
  test('one command is in flight, and the other commands follow in order', async () => {
    const { dialogue, modem } = await dialogueInStep()
    const outcomes = ['CSQ', 'COPS', 'CREG'].map((name) => dialogue.execute(testQuery(name)))
    expect(modem.written).toEqual(['AT+CSQ?\r'])
    expect(dialogue.telemetry).toMatchObject({ inFlight: 'AT+CSQ?', queued: 2 })
    modem.say('+CSQ: 1,99\r\nOK\r\n+COPS: 0\r\nOK\r\n')
    expect(modem.written).toEqual(['AT+CSQ?\r', 'AT+COPS?\r'])
    modem.say('+COPS: 1\r\nOK\r\n')
    modem.say('+CREG: 0,1\r\nOK\r\n')
    expect((await Promise.all(outcomes)).map(answerLines)).toEqual([['+CSQ: 1,99'], ['+COPS: 1'], ['+CREG: 0,1']])
  })

  test('a long queue does not overflow the stack when the port answers within write', async () => {
    const { dialogue, modem } = await dialogueInStep()
    modem.reply = (line) => `\r\n${line.slice(2, -1)}: 1\r\nOK\r\n`
    const outcomes = await Promise.all(Array.from({ length: 20_000 }, () => dialogue.execute(testQuery('CSQ'))))
    expect(outcomes.every((outcome) => outcome.kind === 'ok')).toBe(true)
  })

  test('an answer that arrives within write is read after the current chunk', async () => {
    const { dialogue, modem, events } = scriptedDialogue()
    modem.reply = (line) => ({ AT: '', 'AT+CMEE?': '\r\n+CMEE: 1\r\nO' })[line]
    const outcome = dialogue.resynchronise()
    modem.say('OK\r\nRING\r\n')
    modem.say('K\r\n')
    expect(await outcome).toEqual({ kind: 'in-step', attempts: 1, atRefused: false })
    expect(shown(events)).toContain('RING')
  })

  test('a queued command that is cancelled is never written', async () => {
    const { dialogue, modem } = await dialogueInStep()
    const first = dialogue.execute(testQuery('CSQ'))
    const cancellation = new Cancellation()
    const second = dialogue.execute(testQuery('COPS'), cancellation)
    cancellation.cancel()
    modem.say('OK\r\n')
    expect(await second).toEqual({ kind: 'not-sent', why: 'cancelled' })
    expect(await first).toMatchObject({ kind: 'ok' })
    expect(modem.written).toEqual(['AT+CSQ?\r'])
    expect(await dialogue.execute(testQuery('COPS'), cancellation)).toEqual({ kind: 'not-sent', why: 'cancelled' })
  })

  test('a finished command no longer reacts to its cancellation', async () => {
    const { dialogue, modem } = await dialogueInStep()
    const cancellation = new Cancellation()
    let listening = 0
    const onCancelled = cancellation.onCancelled.bind(cancellation)
    cancellation.onCancelled = (listener) => {
      const stop = onCancelled(listener)
      listening += 1
      return () => {
        listening -= 1
        stop()
      }
    }
    const outcome = dialogue.execute(testQuery('CSQ'), cancellation)
    expect(listening).toBe(1)
    modem.say('OK\r\n')
    expect(await outcome).toMatchObject({ kind: 'ok' })
    expect(listening).toBe(0)
  })

  test('a command cancelled in flight ends at once, and its answer is discarded', async () => {
    const { dialogue, modem, clock } = await dialogueInStep()
    const cancellation = new Cancellation()
    const first = dialogue.execute({ ...testQuery('COPS'), text: 'AT+COPS=?', timeoutMs: 180_000 }, cancellation)
    const second = dialogue.execute(testQuery('COPS'))
    modem.reply = () => ''
    cancellation.cancel()
    expect(await first).toEqual({ kind: 'unanswered', why: 'cancelled', lines: [] })
    await clock.advance(3_000)
    modem.reply = (line) => (line === 'AT+COPS?' ? '+COPS: 0\r\nOK\r\n' : undefined)
    modem.say('+COPS: (2,"a")\r\nOK\r\n')
    expect(answerLines(await second)).toEqual(['+COPS: 0'])
  })
})
