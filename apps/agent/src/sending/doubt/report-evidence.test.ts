import { readCommandError } from '@smsgw/modem/dialogue/errors/command-error'
import type { SubmitOutcome } from '@smsgw/modem/send/submit'
import { addressFromText } from '@smsgw/sms/fields/address'
import { timeStampFromEpochMs } from '@smsgw/sms/fields/time-stamp'
import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Change } from '../../journal/change.ts'
import { SenderFixture, sendCommand } from '../../testing/sender-fixture.ts'

let world: SenderFixture

beforeEach(() => {
  world = new SenderFixture()
})

const minute = 60_000
const day = 24 * 60 * minute
const silence: SubmitOutcome = { kind: 'unknown', why: 'silence', error: undefined }
/** The modem answered OK, but the line with the reference was lost. */
const nameless: SubmitOutcome = { kind: 'accepted', messageReference: undefined, detail: undefined, duplicate: false }
const busy: SubmitOutcome = { kind: 'refused', error: readCommandError('+CMS ERROR: 42')!, pduWritten: true }

test('a report about a part without a reference is not evidence for a doubt', async () => {
  world.outcomes.push(silence, nameless)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('doubtful'))
  await world.pass(3 * minute)
  await world.accept(sendCommand('nameless'))
  await world.pass(1000)
  const taken = world.sender.report('iccid-1', report(77, 0))
  await world.pass(1000)
  expect(await taken).toBe(false)
  await world.pass(20 * minute)
  expect(await world.events('failed')).toMatchObject([{ cmdId: 'doubtful', code: 'submit_unknown' }])
  expect((await world.events('sent')).map(({ cmdId }) => cmdId)).toEqual(['nameless'])
})

test('a report about a first part without a reference is not evidence for the second part', async () => {
  world.outcomes.push(nameless, silence)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a', { content: { text: 'long '.repeat(50) } }))
  await world.pass(1000)
  const taken = world.sender.report('iccid-1', report(77, 0))
  await world.pass(20 * minute)
  expect(await taken).toBe(false)
  expect(await world.events('failed')).toMatchObject([{ code: 'submit_unknown', partsSent: 1 }])
})

test('a report is not evidence if the time becomes known while the journal is being read', async () => {
  world.time.trusted = false
  world.outcomes.push(nameless, silence)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a', { content: { text: 'long '.repeat(50) } }))
  await world.pass(1000)
  // The status report is matched after the write that accepts the message.
  const accepted = world.sender.accept([sendCommand('b', { phoneNumber: '+447700900999' })])
  await world.pass(0)
  const taken = world.sender.report('iccid-1', report(77, 0))
  await world.pass(0)
  world.time.trusted = true
  await world.pass(20 * minute)
  await accepted
  expect(await taken).toBe(false)
  expect(await world.events('failed')).toMatchObject([{ cmdId: 'a', code: 'submit_unknown', partsSent: 1 }])
})

test('accepts evidence although a part without a reference was sent at another time', async () => {
  world.outcomes.push(nameless, silence)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('nameless'))
  await world.pass(10 * minute)
  await world.accept(sendCommand('doubtful'))
  await world.pass(1000)
  const taken = world.sender.report('iccid-1', report(77, 0))
  await world.pass(1000)
  expect(await taken).toBe(true)
  expect(await world.events('delivered')).toMatchObject([{ cmdId: 'doubtful' }])
})

test('does not guess which of two parts in doubt a report is about', async () => {
  world.outcomes.push({ kind: 'accepted', messageReference: 1, detail: undefined, duplicate: false }, busy)
  await world.sender.simReady(world.sim(1))
  // The disk has space for each COMMIT, but not for any RESULT.
  world.disk.refuses = ({ kind }) => kind === 'part-result'
  await world.accept(sendCommand('a', { content: { text: 'long '.repeat(50) } }))
  await world.pass(50)
  world.disk.refuses = () => false
  await world.restart()
  world.sender.confirm()
  // Only the first part was sent, but the time of the report is nearer to the time of the second part.
  const taken = world.sender.report('iccid-1', report(1, 0))
  await world.pass(20 * minute)
  expect(await taken).toBe(false)
  expect(await world.events('part-submitted')).toEqual([])
  expect(await world.events('failed')).toMatchObject([{ code: 'submit_unknown' }])
})

test('a report about a message that was sent again is not evidence for another message in doubt', async () => {
  world.outcomes.push({ kind: 'accepted', messageReference: 9, detail: undefined, duplicate: false }, silence)
  await world.sender.simReady(world.sim(1))
  world.disk.refuses = ({ kind }) => kind === 'part-result'
  await world.accept(sendCommand('again', { onUncertain: 'resend' }))
  await world.pass(50)
  await world.accept(sendCommand('silent'))
  await world.pass(50)
  const early = report(9, 0)
  world.disk.refuses = () => false
  await world.restart()
  world.sender.confirm()
  await world.sender.simReady(world.sim(1))
  await world.pass(20 * minute)
  expect((await world.events('sent')).map(({ cmdId }) => cmdId)).toEqual(['again'])
  const taken = world.sender.report('iccid-1', early)
  await world.pass(minute)
  expect(await taken).toBe(false)
  expect(await world.events('failed')).toMatchObject([{ cmdId: 'silent', code: 'submit_unknown' }])
})

test('a report about a result that is not on disk is not evidence for another message', async () => {
  world.outcomes.push(silence)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('doubtful'))
  await world.pass(3 * minute)
  world.disk.refuses = ({ kind }) => kind === 'part-result'
  await world.accept(sendCommand('sent'))
  await world.pass(1000)
  const early = world.sender.report('iccid-1', report(2, 0))
  await world.pass(1000)
  expect(await early).toBe(false)
  world.disk.refuses = () => false
  await world.pass(5000)
  const again = world.sender.report('iccid-1', report(2, 0))
  await world.pass(1000)
  expect(await again).toBe(true)
  expect((await world.events('sent')).map(({ cmdId }) => cmdId)).toEqual(['sent'])
})

test('matches a repeated reference to the part in doubt, not to a part delivered long ago', async () => {
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('old'))
  await world.pass(100)
  void world.sender.report('iccid-1', report(1, 0))
  await world.pass(day)
  world.outcomes.push(silence)
  await world.accept(sendCommand('doubtful'))
  await world.pass(1000)
  const taken = world.sender.report('iccid-1', report(1, 0))
  await world.pass(1000)
  expect(await taken).toBe(true)
  expect((await world.events('delivered')).map(({ cmdId }) => cmdId)).toEqual(['old', 'doubtful'])
})

describe('a report about a message that was sent a moment ago', () => {
  const deliveredIds = async () => (await world.events('delivered')).map(({ cmdId }) => cmdId)
  const receivedIds = async () => {
    const { journal } = world.disk.session()
    return (await journal.read('inbound', { sinceMs: 0 })).map(({ pduId }) => pduId)
  }
  const takeRecent = (written: StatusReport, iccid = 'iccid-1') =>
    world.sender.recentReport(iccid, written, () => receivedReport(iccid))

  beforeEach(async () => {
    await world.sender.simReady(world.sim(1))
    await world.accept(sendCommand('a'))
    await world.pass(100)
  })

  test('is stored once, without a read of the journal', async () => {
    world.disk.failReads = true
    const taken = takeRecent(report(1, 0))
    await world.pass(1000)
    expect(taken).toBeDefined()
    await taken
    world.disk.failReads = false
    expect(await deliveredIds()).toEqual(['a'])
    expect(await receivedIds()).toEqual(['pdu-1'])
  })

  test('is on disk together with its event, or not at all', async () => {
    world.disk.refuses = ({ kind }) => kind === 'part-reported'
    const taken = takeRecent(report(1, 0))
    await world.pass(5000)
    expect(await receivedIds()).toEqual([])
    world.disk.refuses = () => false
    await world.pass(5000)
    await taken
    expect(await receivedIds()).toEqual(['pdu-1'])
    expect(await deliveredIds()).toEqual(['a'])
  })

  test('is found in the journal when it is repeated, and then changes nothing', async () => {
    const taken = takeRecent(report(1, 0))
    const repeated = report(1, 0)
    expect(takeRecent(repeated)).toBeUndefined()
    const again = world.sender.report('iccid-1', repeated)
    await world.pass(1000)
    await taken
    expect(await again).toBe(true)
    expect(await deliveredIds()).toEqual(['a'])
    expect(await world.events('part-reported')).toHaveLength(1)
  })

  test('has its SIM, reference and number, and the time of its submission', async () => {
    const written = report(1, 0)
    const others: readonly [iccid: string, other: StatusReport][] = [
      ['iccid-2', written],
      ['iccid-1', report(2, 0)],
      ['iccid-1', { ...written, recipient: addressFromText('+447700900999') }],
      ['iccid-1', { ...written, serviceCentreTimeStamp: timeStampFromEpochMs(world.clock.epochMs() - 5000, 0) }],
      ['iccid-1', { ...written, serviceCentreTimeStamp: timeStampFromEpochMs(world.clock.epochMs() + 5000, 0) }],
    ]
    for (const [iccid, other] of others) expect(takeRecent(other, iccid)).toBeUndefined()
    expect(takeRecent(written)).toBeDefined()
  })

  test('is compared with the journal while another message to the number is in doubt', async () => {
    world.outcomes.push(silence)
    await world.accept(sendCommand('doubtful'))
    await world.pass(1000)
    expect(takeRecent(report(1, 0))).toBeUndefined()
  })

  test('is found in the journal when it is repeated after it was compared with the journal', async () => {
    const written = report(1, 0)
    world.outcomes.push(silence)
    await world.accept(sendCommand('doubtful'))
    await world.pass(1000)
    for (const each of [written, report(2, 0), written]) {
      void world.sender.report('iccid-1', each)
      await world.pass(1000)
    }
    expect(await deliveredIds()).toEqual(['a', 'doubtful'])
    expect(takeRecent(written)).toBeUndefined()
  })
})

function receivedReport(iccid: string): Change {
  const at = world.time.stamp()
  return { kind: 'inbound-received', pduId: 'pdu-1', iccid, simNumber: 1, pdu: '', at, settled: 'report' }
}

function report(messageReference: number, status: number): StatusReport {
  const at = timeStampFromEpochMs(world.clock.epochMs(), 0)
  return {
    kind: 'status-report',
    moreMessagesToSend: false,
    loopPrevention: false,
    statusReportQualifier: false,
    messageReference,
    recipient: addressFromText('+447700900123'),
    serviceCentreTimeStamp: at,
    dischargeTime: at,
    status,
  }
}
