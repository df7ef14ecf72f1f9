import { describe, expect, test } from 'vitest'
import { promisesSettled } from '../testing/manual-clock.ts'
import { dialogueInStep } from '../testing/scripted-dialogue.ts'
import { submission, submittedPdu } from '../testing/scripted-submission.ts'

describe('the prompt', () => {
  test.each([
    '\r\n> ',
    '\r\n>',
    '>\r\n',
    '\r\n>\r\n',
    'AT+CMGS=19\r> ',
    'AT+CMGS=19\r\r\n\r\n> ',
    'AT+CMGS=19> ',
    '> \r\n> ',
  ])('the prompt is recognised when it is spelled %j', async (prompt) => {
    const { dialogue, modem } = await dialogueInStep()
    const outcome = dialogue.submit(submission())
    modem.say(prompt)
    await promisesSettled()
    expect(modem.written.at(-1)).toBe(`${submittedPdu}\x1a`)
    modem.say(`${submittedPdu}\r\n+CMGS: 17\r\n\r\nOK\r\n`)
    expect(await outcome).toEqual({ kind: 'accepted', messageReference: 17, detail: undefined, duplicate: false })
  })

  test('the prompt may be late, with unsolicited codes before and after it', async () => {
    const { dialogue, modem, clock, events } = await dialogueInStep()
    const outcome = dialogue.submit(submission())
    modem.say('\r\n+CMTI: "SM",3\r\n')
    await clock.advance(9_900)
    modem.say('> +CMTI: "SM",4\r\n')
    await promisesSettled()
    modem.say('\r\n+CMTI: "SM",5\r\n+CMGS: 17\r\nOK\r\n')
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 17 })
    expect(events).toHaveLength(3)
  })

  test('a prompt that never arrives leaves the message provably unsent: ESC, then resynchronisation', async () => {
    const { dialogue, modem, clock } = await dialogueInStep()
    const outcome = dialogue.submit(submission())
    await clock.advance(10_000)
    expect(await outcome).toEqual({ kind: 'not-sent', why: 'no-prompt' })
    expect(modem.written.slice(1)).toEqual(['\x1b', '\x1bAT\r', 'AT+CMEE?\r'])
    expect(dialogue.telemetry.state).toBe('in-step')
  })

  test('a prompt that arrives after the timeout is answered with ESC, never with a PDU', async () => {
    const { dialogue, modem, clock } = await dialogueInStep()
    modem.reply = () => ''
    const outcome = dialogue.submit(submission())
    await clock.advance(10_000)
    modem.written.length = 0
    modem.reply = () => undefined
    modem.say('\r\n> ')
    expect(await outcome).toEqual({ kind: 'not-sent', why: 'no-prompt' })
    expect(modem.written).toEqual(['\x1bAT\r', 'AT+CMEE?\r'])
  })

  test('an unexpected prompt makes the dialogue resynchronise', async () => {
    const { modem } = await dialogueInStep()
    modem.say('\r\n> ')
    expect(modem.written).toEqual(['\x1bAT\r', 'AT+CMEE?\r'])
  })
})
