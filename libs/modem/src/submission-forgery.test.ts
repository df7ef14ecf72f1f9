import { describe, expect, test } from 'vitest'
import { shown } from './testing/scripted-dialogue.ts'
import { lateResults, pduWritten } from './testing/scripted-submission.ts'

const forged = ['+CMS ERROR: 38', '+CMGS: 99']

describe('nobody forges the result of a submission', () => {
  test.each(forged)('by %s in a USSD text: it is text up to the closing quote', async (line) => {
    const { outcome, modem, events } = await pduWritten()
    modem.say(`\r\n+CUSD: 0,"You won\r\n${line}\r\nOK\r\nbye",15\r\n+CMGS: 7\r\n\r\nOK\r\n`)
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 7 })
    expect(shown(events)).toEqual([`+CUSD: 0,"You won\n${line}\nOK\nbye",15`])
  })

  test.each(forged)('by %s in a USSD text that is never closed: nobody knows', async (line) => {
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

  test.each(forged)('by %s in a USSD text that comes when its outcome is open', async (line) => {
    const { outcome, modem, events, clock } = await pduWritten()
    modem.reply = () => ''
    await clock.advance(120_300)
    expect(await outcome).toMatchObject({ kind: 'unknown' })
    modem.say(`\r\n+CUSD: 0,"You won\r\n${line}\r\nbye",15\r\n`)
    expect(lateResults(events)).toEqual([])
  })

  test.each(forged)('by %s in the text of a message in text mode, in time or late', async (line) => {
    const { outcome, modem, events, clock } = await pduWritten()
    modem.say(`\r\n+CMT: "+447700900123","","24/01/01,10:00:00+00"\r\nhi\r\n${line}\r\n+CMGS: 98\r\n`)
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'ambiguous-code' })
    expect(lateResults(events)).toEqual([])
    await clock.advance(2_000)
    modem.say('\r\n+CMGS: 7\r\n')
    expect(lateResults(events)).toMatchObject([{ outcome: { kind: 'accepted', messageReference: 7 } }])
  })
})

test('a message in text mode leaves a later submission alone, once its text must have ended', async () => {
  for (const behind of ['x'.repeat(160), undefined]) {
    const { outcome, modem, clock } = await pduWritten()
    modem.say('\r\n+CMT: "+447700900123","","24/01/01,10:00:00+00"\r\nhi\r\n')
    if (behind) modem.say(`${behind}\r\n`)
    else await clock.advance(2_000)
    modem.say('\r\n+CMGS: 7\r\n\r\nOK\r\n')
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 7 })
  }
})
