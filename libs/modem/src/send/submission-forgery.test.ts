import { describe, expect, test } from 'vitest'
import { dialogueInStep, shown } from '../testing/scripted-dialogue.ts'
import { lateResults, pduWritten, submission } from '../testing/scripted-submission.ts'

const forged = ['+CMS ERROR: 38', '+CMGS: 99']

describe('no text can forge the result of a submission', () => {
  test.each(forged)('no result is forged by %s in a USSD text, which ends with the closing quote', async (line) => {
    const { outcome, modem, events, clock } = await pduWritten()
    modem.say(`\r\n+CUSD: 0,"You won\r\n${line}\r\nOK\r\nbye",15\r\n+CMGS: 7\r\n\r\nOK\r\n`)
    await clock.advance(100)
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 7 })
    expect(shown(events)).toEqual([`+CUSD: 0,"You won\n${line}\nOK\nbye",15`])
  })

  test.each(forged.flatMap((line) => ['You won"', 'You won",15', 'say "hi"', ''].map((text) => [line, text] as const)))(
    'no result is forged by %s in a USSD text after a quote inside the text: %j',
    async (line, text) => {
      const { outcome, modem, events, clock } = await pduWritten()
      modem.say(`\r\n+CUSD: 0,"${text}\r\n`)
      await clock.advance(99)
      modem.say(`${line}\r\nOK\r\n>\r\nbye",15\r\n`)
      modem.say('\r\n^RSSI: 20\r\n+CMGS: 7\r\n\r\nOK\r\n')
      await clock.advance(100)
      expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 7 })
      expect(shown(events)[0]).toBe(`+CUSD: 0,"${text}\n${line}\nOK\n>\nbye",15`)
    },
  )

  test.each(forged)(
    'no result is forged by %s in a USSD text whose last line is incomplete when the modem pauses',
    async (line) => {
      const { outcome, modem, clock } = await pduWritten()
      modem.say(`\r\n+CUSD: 0,"You won"\r\n${line}\r\nby`)
      await clock.advance(150)
      modem.say('e",15\r\n+CMGS: 7\r\n\r\nOK\r\n')
      await clock.advance(100)
      expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 7 })
    },
  )

  test.each(forged)(
    '%s in a USSD text makes the outcome unknown if the last line looks like an unsolicited code, which is reported',
    async (line) => {
      const { outcome, modem, events, clock } = await pduWritten()
      modem.say(`\r\n+CUSD: 0,"You won"\r\n${line}\r\n+CMTI: "SM",3\r\n`)
      await clock.advance(100)
      expect(await outcome).toMatchObject({ kind: 'unknown', why: 'ambiguous-code' })
      expect(shown(events)).toContain('+CMTI: "SM",3')
      expect(lateResults(events)).toEqual([])
    },
  )

  test.each(forged)('%s in a USSD text without quotes makes the outcome unknown', async (line) => {
    const { outcome, modem, events } = await pduWritten()
    modem.say(`\r\n+CUSD: 0,You won\r\n${line}\r\n`)
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'ambiguous-code' })
    expect(lateResults(events)).toEqual([])
  })

  test.each(forged)('no result is forged by %s in a USSD text that the loss of the port truncates', async (line) => {
    const { outcome, modem } = await pduWritten()
    modem.say(`\r\n+CUSD: 0,"You won"\r\n${line}\r\n`)
    modem.lose()
    expect(await outcome).toMatchObject({ kind: 'unknown' })
  })

  test.each(forged)(
    'no result is forged by %s and a prompt in a USSD text that began before the submission',
    async (line) => {
      const { dialogue, modem, clock } = await dialogueInStep()
      modem.say('\r\n+CUSD: 0,"You won"\r\n')
      const outcome = dialogue.submit(submission())
      await clock.advance(100)
      modem.say('>\r\n')
      await clock.advance(100)
      modem.say(`${line}\r\nOK\r\nbye",15\r\n`)
      expect(modem.written.filter((text) => text.includes('+CMGS'))).toEqual([])
      modem.reply = (text) =>
        text.startsWith('AT+CMGS') ? '\r\n> ' : text.endsWith('\x1a') ? '\r\n+CMGS: 7\r\n\r\nOK\r\n' : undefined
      await clock.advance(1_000)
      expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 7 })
    },
  )

  test.each(forged)('no result is forged by %s and a prompt in a message that is read in text mode', async (line) => {
    const { dialogue, modem, clock } = await dialogueInStep()
    const read = { text: 'AT+CMGR=3', prefixes: ['+CMGR'], withPayload: true, timeoutMs: 15_000 }
    void dialogue.execute(read)
    const outcome = dialogue.submit(submission())
    modem.say('\r\n+CMGR: "REC UNREAD","+447700900123",,"24/01/01,10:00:00+00"\r\nhi\r\nOK\r\n')
    await clock.advance(100)
    modem.say('>\r\n')
    await clock.advance(100)
    modem.say(`${line}\r\nOK\r\n`)
    expect(modem.written).toEqual(['AT+CMGR=3\r'])
    await clock.advance(20_000)
    expect(await outcome).toEqual({ kind: 'not-sent', why: 'no-prompt' })
  })

  test('no result is forged by a prompt in a message that arrives in text mode', async () => {
    const { dialogue, modem, clock } = await dialogueInStep()
    const outcome = dialogue.submit(submission())
    modem.say('\r\n+CMT: "+447700900123","","24/01/01,10:00:00+00"\r\nhi\r\n>\r\nbye\r\n')
    await clock.advance(20_000)
    expect(modem.written.filter((text) => text.endsWith('\x1a'))).toEqual([])
    expect(await outcome).toEqual({ kind: 'not-sent', why: 'no-prompt' })
  })

  test.each(forged)('%s in an unclosed USSD text makes the outcome unknown', async (line) => {
    const { outcome, modem, events, clock, dialogue } = await pduWritten()
    modem.say(`\r\n+CUSD: 0,"You won\r\n${line}\r\n+CREG: 1\r\n`)
    await clock.advance(121_000)
    expect(await outcome).toMatchObject({ kind: 'unknown' })
    expect(lateResults(events)).toEqual([])
    expect(shown(events)).toEqual(expect.arrayContaining(['+CUSD: 0,"You won', `stale ${line}`, '+CREG: 1']))
    expect(dialogue.telemetry.state).toBe('in-step')
    modem.say('\r\n+CMGS: 7\r\n')
    expect(lateResults(events)).toMatchObject([{ outcome: { kind: 'accepted', messageReference: 7 } }])
  })

  test.each(forged)('no result is forged by %s in a USSD text that arrives while the outcome is open', async (line) => {
    const { outcome, modem, events, clock } = await pduWritten()
    modem.reply = () => ''
    await clock.advance(120_300)
    expect(await outcome).toMatchObject({ kind: 'unknown' })
    modem.say(`\r\n+CUSD: 0,"You won\r\n${line}\r\nbye",15\r\n`)
    expect(lateResults(events)).toEqual([])
  })

  test.each(forged)('no result is forged by %s in the text of a text-mode message, in time or late', async (line) => {
    const { outcome, modem, events, clock } = await pduWritten()
    modem.say(`\r\n+CMT: "+447700900123","","24/01/01,10:00:00+00"\r\nhi\r\n${line}\r\n+CMGS: 98\r\n`)
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'ambiguous-code' })
    expect(lateResults(events)).toEqual([])
    await clock.advance(2_000)
    modem.say('\r\n+CMGS: 7\r\n')
    expect(lateResults(events)).toMatchObject([{ outcome: { kind: 'accepted', messageReference: 7 } }])
  })
})

describe('a USSD text that arrives during a submission', () => {
  test('a USSD text that arrives during a submission delays the prompt for a moment', async () => {
    const { dialogue, modem, clock, events } = await dialogueInStep()
    const outcome = dialogue.submit(submission())
    modem.say('\r\n+CUSD: 0,"Balance 3.20",15\r\n\r\n> ')
    modem.reply = (text) => (text.endsWith('\x1a') ? '\r\n+CMGS: 7\r\n\r\nOK\r\n' : undefined)
    await clock.advance(100)
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 7 })
    expect(shown(events)).toEqual(['+CUSD: 0,"Balance 3.20",15'])
  })

  test('a USSD text that arrives during a submission does not reorder the result and other unsolicited codes', async () => {
    const { outcome, modem, clock, events } = await pduWritten()
    modem.say('\r\n+CUSD: 0,"Balance 3.20",15\r\n^RSSI: 20\r\n+CMGS: 7\r\n\r\nOK\r\n+CREG: 5\r\n')
    await clock.advance(100)
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 7 })
    expect(shown(events)).toEqual(['+CUSD: 0,"Balance 3.20",15', 'unknown ^RSSI: 20', '+CREG: 5'])
  })

  test('a USSD text in a burst of lines leaves the result valid, unless the result precedes a quote', async () => {
    const { outcome, modem, clock, events } = await pduWritten()
    modem.say('\r\n+CUSD: 0,"Balance 3.20",15\r\n\r\n+CMTI: "SM",1\r\n\r\n+CMGS: 7\r\n\r\nOK\r\n')
    await clock.advance(100)
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 7 })
    expect(shown(events)).toEqual(['+CUSD: 0,"Balance 3.20",15', '+CMTI: "SM",1'])
  })

  test('a USSD text in digits, which cannot contain a line, causes no delay', async () => {
    const { outcome, modem } = await pduWritten()
    modem.say('\r\n+CUSD: 0,"00480069",72\r\n\r\n+CMGS: 7\r\n\r\nOK\r\n')
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 7 })
  })
})

test('a text that arrived in text mode does not affect a submission after the time that the text may take', async () => {
  for (const rest of ['x'.repeat(160), undefined]) {
    const { outcome, modem, clock } = await pduWritten()
    modem.say('\r\n+CMT: "+447700900123","","24/01/01,10:00:00+00"\r\nhi\r\n')
    if (rest) modem.say(`${rest}\r\n`)
    else await clock.advance(2_000)
    modem.say('\r\n+CMGS: 7\r\n\r\nOK\r\n')
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 7 })
  }
})
