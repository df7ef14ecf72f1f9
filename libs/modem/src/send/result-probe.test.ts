import { describe, expect, test } from 'vitest'
import { catalogue } from '../profiles/catalogue.ts'
import { genericProfile } from '../profiles/generic.ts'
import { DrivenModem, submitPdu } from '../testing/driven-modem.ts'
import { promisesSettled } from '../testing/manual-clock.ts'
import { answerLines, settledFlag } from '../testing/scripted-dialogue.ts'
import { lateResults, pduWritten, submission } from '../testing/scripted-submission.ts'
import { probeAfterAnySign, probeAfterReport, probeWhenOverdue } from './result-probe.ts'
import type { Submission } from './submission.ts'

const report = '+CDS: 25\r\n0006110B911346610089F6208062917314082080629173140800'
const referenceInReport = () => 17
/** Returns the output that the driver wrote after the PDU. */
const since = (written: readonly string[]) => written.slice(2)

describe('a status report that matches the message', () => {
  const reported = (probe = probeAfterReport) => pduWritten({ probe, referenceInReport })

  test('a status report that matches the message ends the wait for a lost answer: both ends are in step after half a second', async () => {
    const { outcome, modem, clock, dialogue } = await reported()
    await clock.advance(150)
    modem.say(`\r\n${report}\r\n`)
    const next = dialogue.execute({ text: 'AT+CMGD=3', timeoutMs: 5_000 })
    await clock.advance(499)
    expect(since(modem.written)).toEqual([])
    await clock.advance(1)
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'answer-lost' })
    expect(since(modem.written)).toEqual(['AT+CMEE?\r', '\x1bAT\r', 'AT+CSCS?\r', 'AT+CMGD=3\r'])
    modem.say('\r\nOK\r\n')
    expect(await next).toMatchObject({ kind: 'ok' })
  })

  test('a status report that matches the message does not hide an answer that arrives after the report', async () => {
    const { outcome, modem, clock } = await reported()
    modem.say(`\r\n${report}\r\n`)
    await clock.advance(499)
    modem.say('\r\n+CMGS: 17\r\n\r\nOK\r\n')
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 17 })
    await clock.advance(120_000)
    expect(since(modem.written)).toEqual([])
  })

  test('a status report that matches the message causes repeated questions until there is an answer', async () => {
    const { outcome, modem, clock } = await reported()
    modem.reply = () => ''
    modem.say(`\r\n${report}\r\n`)
    await clock.advance(10_500)
    expect(since(modem.written)).toEqual(['AT+CMEE?\r', 'AT+CSCS?\r', 'AT+CMEE?\r'])
    modem.say('\r\n+CSCS: "IRA"\r\n\r\nOK\r\n')
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'answer-lost' })
  })

  test.each(['+CMS ERROR: 38', '+CMS ERROR: 515', 'ERROR'])(
    'a status report that matches the message is not contradicted by %s',
    async (line) => {
      const { outcome, modem, clock } = await reported()
      modem.reply = () => ''
      modem.say(`\r\n${report}\r\n`)
      await clock.advance(600)
      modem.say(`\r\n${line}\r\n`)
      await clock.advance(120_000)
      expect(await outcome).toMatchObject({ kind: 'unknown', why: 'ambiguous-code', error: { text: line } })
    },
  )
})

describe('a modem that has not given a result', () => {
  const silent = async (probe = probeAfterAnySign) => {
    const all = await pduWritten({ probe })
    all.modem.reply = () => ''
    return all
  }

  test('a modem that has not given a result is not queried before a report arrives if only a report permits a question, even after other output or a long silence', async () => {
    const { outcome, modem, clock } = await silent(probeAfterReport)
    for (let second = 0; second < 119; second += 1) {
      modem.say(`\r\n+CREG: 1\r\n\r\n${report}\r\n`)
      await clock.advance(1_000)
    }
    expect(since(modem.written)).toEqual([])
    modem.say('\r\n+CMGS: 17\r\n\r\nOK\r\n')
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 17 })
  })

  test('a modem that has not given a result is asked 2.5 s after any output, if questions are safe', async () => {
    const { outcome, modem, clock } = await silent()
    modem.say('\r\n+CMTI: "SM",3\r\n')
    await clock.advance(2_499)
    expect(since(modem.written)).toEqual([])
    await clock.advance(1)
    expect(since(modem.written)).toEqual(['AT+CMEE?\r'])
    modem.say('\r\n+CMEE: 1\r\n\r\nOK\r\n')
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'answer-lost' })
  })

  test('a modem that has not given a result is asked every 5 s after 20 s of silence, and ends as silent at its timeout', async () => {
    const { outcome, modem, clock } = await silent()
    const ended = settledFlag(outcome)
    await clock.advance(29_999)
    expect(since(modem.written)).toEqual(['AT+CMEE?\r', 'AT+CSCS?\r'])
    await clock.advance(90_000)
    expect(ended.done).toBe(false)
    await clock.advance(1)
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'silence' })
  })

  test('a modem that has not given a result may be slow: the answer to the question arrives after the result and is still recognised', async () => {
    const { outcome, modem, clock, dialogue, events } = await silent()
    await clock.advance(45_000)
    const asked = since(modem.written).length
    modem.reply = () => undefined
    modem.say('\r\n+CMGS: 17\r\n\r\nOK\r\n')
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 17 })
    modem.reply = (line) => (line === 'AT+CMEE?' || line === 'AT+CSCS?' ? '' : undefined)
    modem.say('\r\n+CMEE: 1\r\n\r\nOK\r\n'.repeat(asked))
    const next = dialogue.execute({ text: 'AT+CMGD=3', timeoutMs: 5_000 })
    modem.say('\r\n+CMS ERROR: 321\r\n')
    expect(await next).toMatchObject({ kind: 'error', error: { code: 321 } })
    expect(lateResults(events)).toEqual([])
  })

  test.each(['+CMS ERROR: 515', '+CMS ERROR: 302', '+CME ERROR: 14', 'ERROR'])(
    'a modem that has not given a result may be busy and refuse the question with %s, which says nothing about the message',
    async (line) => {
      const { outcome, modem, clock } = await silent()
      modem.say('\r\n+CREG: 1\r\n')
      await clock.advance(2_500)
      modem.say(`\r\n${line}\r\n`)
      await clock.advance(2_500)
      modem.say(`\r\n${line}\r\n\r\n+CMGS: 17\r\n\r\nOK\r\n`)
      expect(since(modem.written).slice(0, 2)).toEqual(['AT+CMEE?\r', 'AT+CSCS?\r'])
      expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 17 })
    },
  )

  test('a modem that has not given a result may refuse the message after a question: an error with a network cause is a refusal', async () => {
    const { outcome, modem, clock } = await silent()
    await clock.advance(20_000)
    modem.say('\r\n+CMS ERROR: 38\r\n')
    expect(await outcome).toMatchObject({ kind: 'refused', pduWritten: true, error: { code: 38 } })
  })

  test.each(['Dear user\r\n+CMEE: 1\r\nyours', 'You won",15\r\n+CMEE: 1\r\n+CMTI: "SM'])(
    'a line that is part of a text is not an answer of the modem: %j',
    async (text) => {
      const { outcome, modem, clock } = await silent()
      await clock.advance(20_000)
      modem.say(`\r\n+CUSD: 0,"${text}",15\r\n`)
      await clock.advance(6_000)
      modem.say('\r\n+CMGS: 17\r\n\r\nOK\r\n')
      expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 17 })
    },
  )

  test('a modem that has not given a result may answer late, and the result still belongs to the message', async () => {
    const { outcome, modem, clock, events } = await silent()
    await clock.advance(20_000)
    modem.reply = () => undefined
    modem.say('\r\n+CMEE: 1\r\n\r\nOK\r\n')
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'answer-lost' })
    modem.say('\r\n+CMGS: 44\r\n\r\nOK\r\n')
    expect(lateResults(events)).toMatchObject([{ submission: 'part 1', outcome: { messageReference: 44 } }])
  })
})

describe('a modem that answers questions while it sends is handled correctly', () => {
  const givenUp = async (more: Partial<Submission>) => {
    const all = await pduWritten({ probe: probeAfterAnySign, ...more })
    if (more.referenceInReport) all.modem.say(`\r\n${report}\r\n`)
    await all.clock.advance(20_500)
    expect(await all.outcome).toMatchObject({ kind: 'unknown', why: 'answer-lost' })
    const next = all.dialogue.submit(submission({ id: 'part 2' }))
    all.modem.say('\r\n> ')
    await promisesSettled()
    return { ...all, next }
  }

  test('a reference that a report has assigned to the previous message does not count for the next message', async () => {
    const { modem, next, events } = await givenUp({ referenceInReport })
    modem.say('\r\n+CMGS: 17\r\n\r\nOK\r\n')
    modem.say('\r\n+CMGS: 18\r\n\r\nOK\r\n')
    expect(await next).toMatchObject({ kind: 'accepted', messageReference: 18 })
    expect(lateResults(events)).toMatchObject([{ submission: 'part 1', outcome: { messageReference: 17 } }])
  })

  test('a reference expected for the previous message leaves the next message unknown until its own reference arrives', async () => {
    const { modem, next, events } = await givenUp({ nextReference: 17 })
    modem.say('\r\n+CMGS: 17\r\n\r\nOK\r\n')
    expect(await next).toMatchObject({ kind: 'unknown', why: 'ambiguous-code' })
    modem.say('\r\n+CMGS: 18\r\n\r\nOK\r\n')
    expect(lateResults(events)).toMatchObject([{ submission: 'part 2', outcome: { messageReference: 18 } }])
  })

  test('the next message is accepted with a new reference, and after the timeout of the first message with any reference', async () => {
    const own = await givenUp({ nextReference: 17 })
    own.modem.say('\r\n+CMGS: 18\r\n\r\nOK\r\n')
    expect(await own.next).toMatchObject({ kind: 'accepted', messageReference: 18 })
    const late = await givenUp({ nextReference: 17 })
    await late.clock.advance(100_000)
    late.modem.say('\r\n+CMGS: 17\r\n\r\nOK\r\n')
    expect(await late.next).toMatchObject({ kind: 'accepted', messageReference: 17 })
  })

  test('the late OK of a modem that answers questions while it sends does not end another command', async () => {
    const { outcome, modem, clock, dialogue } = await pduWritten({ probe: probeAfterAnySign })
    await clock.advance(20_500)
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'answer-lost' })
    const read = dialogue.execute({ text: 'AT+CMGR=3', prefixes: ['+CMGR'], timeoutMs: 5_000 })
    modem.say('\r\n+CMGS: 17\r\n\r\nOK\r\n')
    modem.say('\r\n+CMGR: 0,,24\r\n\r\nOK\r\n')
    expect(answerLines(await read)).toEqual(['+CMGR: 0,,24'])
  })

  test('a modem that answers questions while it sends is not asked again', async () => {
    const driven = new DrivenModem({ 'AT+CGMI': 'Quectel', 'AT+CGMM': 'EC25' })
    await driven.session()
    driven.port.answer('PDU', 'silence')
    const first = await driven.passing(driven.submit('first'))
    expect(first).toMatchObject({ kind: 'unknown', why: 'answer-lost' })
    await driven.pass(5_000)
    driven.port.tell('+CMGS: 3\nOK')
    expect(driven.kinds('late-result')).toMatchObject([{ id: 'first', outcome: { kind: 'accepted' } }])
    const second = settledFlag(driven.submit('second'))
    await driven.pass(119_000)
    expect(second.done).toBe(false)
  })
})

test('a report with a recently assigned reference concerns that message, not the current message', async () => {
  const driven = new DrivenModem()
  await driven.session()
  await driven.passing(driven.submit('first'))
  driven.port.answer('PDU', 'silence')
  driven.forget()
  const submitted = settledFlag(
    driven.modem.submit(submitPdu, { id: 'second', beforePdu: async () => 'go', isItsReport: () => true }),
  )
  await driven.pass(500)
  driven.port.tell(report)
  await driven.pass(30_000)
  expect(submitted.done).toBe(false)
  driven.port.tell(report.replace('000611', '000612'))
  await driven.pass(1_000)
  expect(submitted.done).toBe(true)
})

test('only modems of vendors whose modems continue to send are asked early, or because of silence', () => {
  const asked = catalogue.filter(({ submit }) => submit.probe.earliestMs === 0).map(({ name }) => name)
  expect(asked.sort()).toEqual([
    ...['huawei', 'qualcomm', 'quectel', 'quectel-serial', 'simcom-2g', 'simcom-a76xx', 'simcom-lte', 'ublox', 'zte'],
  ])
  const afterSilence = catalogue.filter(({ submit }) => submit.probe.afterSilenceMs !== undefined)
  expect(afterSilence.map(({ name }) => name).sort()).toEqual(asked)
  expect(genericProfile.submit.probe).toBe(probeWhenOverdue)
})
