import { describe, expect, test } from 'vitest'
import { answerLines, dialogueInStep, settledFlag, testQuery } from '../testing/scripted-dialogue.ts'

describe('a timeout', () => {
  test('a timeout passes only after silence', async () => {
    const { dialogue, modem, clock } = await dialogueInStep()
    const outcome = dialogue.execute(testQuery('CMGL'))
    for (let i = 0; i < 5; i += 1) {
      await clock.advance(4999)
      modem.say(`+CMGL: ${i},1,,0\r\n`)
    }
    await clock.advance(4999)
    modem.say('OK\r\n')
    expect(answerLines(await outcome)).toHaveLength(5)
    expect(clock.pending).toBe(0)
  })

  test('a timeout passes although unsolicited codes keep arriving', async () => {
    const { dialogue, modem, clock } = await dialogueInStep()
    const outcome = dialogue.execute(testQuery('CSQ'))
    for (let i = 0; i < 120; i += 1) {
      modem.say('^RSSI: 12\r\n^R')
      await clock.advance(100)
      modem.say('SSI: 13\r\n')
    }
    await clock.advance(100)
    expect(await outcome).toMatchObject({ kind: 'unanswered', why: 'timeout' })
  })

  test('a timeout passes eventually when the answer never stops', async () => {
    const { dialogue, modem, clock } = await dialogueInStep()
    const outcome = dialogue.execute(testQuery('CMGL', { limitMs: 12_000 }))
    const ended = settledFlag(outcome)
    for (let i = 0; i < 12; i += 1) {
      modem.say('+CMGL: 1,1,,0\r\n')
      expect(ended.done).toBe(false)
      await clock.advance(1000)
    }
    expect(await outcome).toMatchObject({ kind: 'unanswered', why: 'timeout' })
  })

  test('a timeout waits for the end of a line that is arriving', async () => {
    const { dialogue, modem, clock } = await dialogueInStep()
    const outcome = dialogue.execute(testQuery('CSQ'))
    await clock.advance(4900)
    for (const char of '+CSQ: 20,99\r\nOK\r') {
      modem.say(char)
      await clock.advance(100)
    }
    expect(answerLines(await outcome)).toEqual(['+CSQ: 20,99'])
  })

  test('a timeout is checked after a suspension of the process only when the port has been read', async () => {
    const { dialogue, modem, clock } = await dialogueInStep()
    const outcome = dialogue.execute(testQuery('CSQ'))
    clock.sleep(90_000)
    clock.runDue()
    modem.say('+CSQ: 20,99\r\nOK\r\n')
    clock.runDue()
    await clock.advance(0)
    expect(answerLines(await outcome)).toEqual(['+CSQ: 20,99'])
  })
})
