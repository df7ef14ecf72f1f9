import { describe, expect, test } from 'vitest'
import { DrivenModem } from '../testing/driven-modem.ts'
import { settledFlag } from '../testing/scripted-dialogue.ts'
import { pduWritten } from '../testing/scripted-submission.ts'
import { probeWhenOverdue } from './result-probe.ts'

const since = (written: readonly string[]) => written.slice(2)
const questions = (driven: DrivenModem) => driven.port.written.filter((text) => /^AT[+](CMEE|CSCS)[?]/.test(text))

describe('a modem that may abort a submission', () => {
  const sending = async () => {
    const all = await pduWritten({ probe: probeWhenOverdue })
    all.modem.reply = () => ''
    return all
  }

  test('a modem that may abort a submission is not asked while the network may still answer, even if the modem sends other output', async () => {
    const { outcome, modem, clock } = await sending()
    for (let second = 0; second < 44; second += 1) {
      modem.say('\r\n+CREG: 1\r\n\r\n^RSSI: 20\r\n')
      await clock.advance(1_000)
    }
    modem.say('\r\n+CMGS: 17\r\n\r\nOK\r\n')
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 17 })
    await clock.advance(120_000)
    expect(since(modem.written)).toEqual([])
  })

  test.each([
    ['in time', 10_000, 35_000],
    ['later', 60_000, 2_500],
  ])(
    'a modem that may abort a submission is asked after 45 s if it sends something %s, and repeatedly until it answers',
    async (_, atMs, afterMs) => {
      const { outcome, modem, clock } = await sending()
      await clock.advance(atMs)
      modem.say('\r\n+CMTI: "SM",3\r\n')
      await clock.advance(afterMs - 1)
      expect(since(modem.written)).toEqual([])
      await clock.advance(5_001)
      expect(since(modem.written)).toEqual(['AT+CMEE?\r', 'AT+CSCS?\r'])
      modem.say('\r\n+CSCS: "IRA"\r\n\r\nOK\r\n')
      expect(await outcome).toMatchObject({ kind: 'unknown', why: 'answer-lost' })
    },
  )

  test('a modem that may abort a submission is not asked at all while it sends nothing', async () => {
    const { outcome, modem, clock } = await sending()
    await clock.advance(119_999)
    expect(since(modem.written)).toEqual([])
    await clock.advance(1)
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'silence' })
  })
})

describe('a modem of an unknown vendor whose results took', () => {
  /** A modem that has sent messages, whose results took the given times. */
  const practised = async (...tookMs: readonly number[]) => {
    const driven = new DrivenModem()
    await driven.session()
    driven.port.answer('PDU', 'busy')
    let reference = 0
    for (const ms of tookMs) {
      const sent = driven.submit(`earlier ${reference}`)
      await driven.pass(ms)
      driven.port.finish(`+CMGS: ${reference++}\nOK`)
      await driven.passing(sent)
    }
    driven.port.answer('PDU', 'silence')
    return driven
  }
  const tenTimes = (ms: number) => Array.from({ length: 10 }, () => ms)

  test('a modem of an unknown vendor whose results took 2 s: if a result is lost, sends the next message within 5 s of the first output', async () => {
    const driven = await practised(...tenTimes(2_000))
    const lost = settledFlag(driven.submit('lost'))
    await driven.pass(100)
    driven.port.tell('+CMTI: "SM",3')
    driven.port.answer('PDU', '+CMGS: 11')
    const next = settledFlag(driven.submit('next'))
    await driven.pass(5_000)
    expect(lost.done).toBe(true)
    expect(next.done).toBe(true)
    expect(driven.kinds('submitted').slice(-2)).toMatchObject([
      { id: 'lost', outcome: { kind: 'unknown', why: 'answer-lost' } },
      { id: 'next', outcome: { kind: 'accepted', messageReference: 11 } },
    ])
  })

  test('a modem of an unknown vendor whose results took up to 15 s: is not disturbed during a submission of 29 s', async () => {
    const driven = await practised(...tenTimes(2_000), 15_000, ...tenTimes(2_000))
    driven.port.answer('PDU', 'busy')
    const before = questions(driven).length
    const slow = driven.submit('slow')
    await driven.pass(10_000)
    driven.port.tell('+CREG: 1')
    await driven.pass(19_000)
    driven.port.finish('+CMGS: 21\nOK')
    expect(await driven.passing(slow)).toMatchObject({ kind: 'accepted', messageReference: 21 })
    expect(questions(driven)).toHaveLength(before)
  })

  test('a modem of an unknown vendor whose results took 2 s: is queried only after 45 s if its next reference is unknown, because a late result could then belong to two messages', async () => {
    const driven = await practised(...tenTimes(2_000))
    driven.port.answer('PDU', '+CMGS: 200')
    await driven.passing(driven.submit('another count'))
    driven.port.answer('PDU', 'silence')
    const lost = settledFlag(driven.submit('lost'))
    driven.port.tell('+CREG: 1')
    await driven.pass(44_000)
    expect(lost.done).toBe(false)
    driven.port.tell('+CREG: 1')
    await driven.pass(4_000)
    expect(lost.done).toBe(true)
  })

  test('a modem of an unknown vendor whose results took 2 s: is not queried early any more after it may have aborted a submission', async () => {
    const driven = await practised(...tenTimes(2_000))
    driven.port.answer('AT+CMEE?', ['ERROR', '+CMEE: 1'])
    const aborted = driven.submit('aborted')
    await driven.pass(1_000)
    driven.port.tell('+CREG: 1')
    expect(await driven.passing(aborted)).toMatchObject({ kind: 'unknown', why: 'answer-lost' })
    const slow = settledFlag(driven.submit('slow'))
    await driven.pass(500)
    const before = driven.port.written.length
    for (let second = 0; second < 118; second += 1) {
      driven.port.tell('+CREG: 1')
      await driven.pass(1_000)
    }
    expect(slow.done).toBe(false)
    expect(driven.port.written.slice(before)).toEqual([])
  })
})
