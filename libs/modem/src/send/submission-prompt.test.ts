import { describe, expect, test } from 'vitest'
import { DrivenModem } from '../testing/driven-modem.ts'
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

describe('a caller', () => {
  /** Sends a first message whose prompt takes `promptMs`, then submits a second one, whose prompt has not arrived. */
  async function secondSubmission(promptMs: number, pauseMs = 0) {
    const driven = new DrivenModem({ 'AT+CMGS=*': 'silence' })
    await driven.session()
    const first = driven.submit('a')
    await driven.clock.advance(promptMs)
    driven.port.say('\r\n> ')
    await driven.passing(first)
    await driven.clock.advance(pauseMs)
    driven.port.pdus.length = 0
    const { promise, resolve } = Promise.withResolvers<'go' | 'abort'>()
    let isAsked = false
    const beforePdu = () => {
      isAsked = true
      return promise
    }
    const outcome = driven.submit('b', { beforePdu })
    await promisesSettled()
    return { driven, outcome, decide: resolve, isAsked: () => isAsked }
  }

  test('is asked while a modem with quick prompts prepares its prompt', async () => {
    const { isAsked } = await secondSubmission(3)
    expect(isAsked()).toBe(true)
  })

  test('is asked early again after a pause of less than a minute', async () => {
    const { isAsked } = await secondSubmission(3, 50_000)
    expect(isAsked()).toBe(true)
  })

  test.each([
    ['the prompts of the modem are slow', 20, 0],
    ['the last quick prompt was more than a minute ago, because the modem may have hung since', 3, 61_000],
  ])('is asked after the prompt if %s', async (_what, promptMs, pauseMs) => {
    const { driven, isAsked } = await secondSubmission(promptMs, pauseMs)
    expect(isAsked()).toBe(false)
    driven.port.say('\r\n> ')
    await promisesSettled()
    expect(isAsked()).toBe(true)
  })

  test.each(['prompt', 'decision'])('the PDU waits for prompt and decision if the %s comes first', async (first) => {
    const { driven, outcome, decide } = await secondSubmission(3)
    const steps = [() => driven.port.say('\r\n> '), () => decide('go')]
    for (const step of first === 'prompt' ? steps : steps.reverse()) {
      expect(driven.port.pdus).toEqual([])
      step()
      await promisesSettled()
    }
    expect(driven.port.pdus).toHaveLength(1)
    expect(await outcome).toMatchObject({ kind: 'accepted' })
  })

  test.each([
    ['the prompt never arrives', undefined, 'not-sent'],
    ['the modem refuses the command', '\r\n+CMS ERROR: 500\r\n', 'refused'],
    ['the modem restarts', '\r\nRDY\r\n', 'not-sent'],
  ])('the message is provably unsent if %s, although the caller has agreed', async (_what, answer, kind) => {
    const { driven, outcome, decide } = await secondSubmission(3)
    decide('go')
    await promisesSettled()
    if (answer !== undefined) driven.port.say(answer)
    expect(await driven.passing(outcome)).toMatchObject({ kind })
    expect(driven.port.pdus).toEqual([])
  })

  test('a refusal of the caller closes the prompt', async () => {
    const { driven, outcome, decide } = await secondSubmission(3)
    decide('abort')
    driven.port.say('\r\n> ')
    expect(await driven.passing(outcome)).toEqual({ kind: 'not-sent', why: 'before-pdu-aborted' })
    expect(driven.port.pdus).toEqual([])
  })
})
