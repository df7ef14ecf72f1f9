import { readCommandError } from '@smsgw/modem/command-error'
import type { SubmitOutcome } from '@smsgw/modem/submit'
import { addressFromText } from '@smsgw/sms/address'
import type { StatusReport } from '@smsgw/sms/status-report'
import { timeStampFromEpochMs } from '@smsgw/sms/time-stamp'
import { beforeEach, expect, test } from 'vitest'
import { ClearOpener, sealed } from '../testing/clear-opener.ts'
import { SenderFixture, sendCommand } from '../testing/sender-fixture.ts'
import { defaultSendingSettings } from './sending-settings.ts'

let world: SenderFixture

beforeEach(() => {
  world = new SenderFixture()
})

const minute = 60_000
const day = 24 * 60 * minute
const silence: SubmitOutcome = { kind: 'unknown', why: 'silence', error: undefined }
/** The modem said OK, and the line with the reference was lost. */
const nameless: SubmitOutcome = { kind: 'accepted', messageReference: undefined, detail: undefined, duplicate: false }
const busy: SubmitOutcome = { kind: 'refused', error: readCommandError('+CMS ERROR: 42')!, pduWritten: true }

test('a command that stands twice in one frame is sent once', async () => {
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a'), sendCommand('a'))
  await world.pass(minute)
  expect(world.sent).toHaveLength(1)
  expect(world.sender.open).toBe(0)
})

test('a SIM that goes while its past is read gets no lane, and takes no messages from the others', async () => {
  await world.sender.simReady(world.sim(2))
  const sim = world.sim(1)
  const ready = world.sender.simReady(sim)
  world.sender.simGone(sim)
  await ready
  await world.accept(sendCommand('a'))
  await world.pass(minute)
  expect(world.sent.map(({ simNumber }) => simNumber)).toEqual([2])
})

test('of a SIM that is told ready twice the later one counts, however long the journal takes', async () => {
  const gone = { ...world.sim(1), submit: async () => Promise.reject(new Error('the modem of before')) }
  await Promise.all([world.sender.simReady(gone), world.sender.simReady(world.sim(1))])
  await world.accept(sendCommand('a'))
  await world.pass(minute)
  expect(world.sent).toHaveLength(1)
})

test('a SIM sends although its past cannot be read', async () => {
  world.disk.failReads = true
  await world.sender.simReady(world.sim(1))
  world.disk.failReads = false
  await world.accept(sendCommand('a'))
  await world.pass(minute)
  expect(world.sent).toHaveLength(1)
})

test('a report about a part whose reference nobody read is no evidence for one in doubt', async () => {
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

test('a report about the first part, whose reference nobody read, is no evidence for the second one', async () => {
  world.outcomes.push(nameless, silence)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a', { content: { text: 'long '.repeat(50) } }))
  await world.pass(1000)
  const taken = world.sender.report('iccid-1', report(77, 0))
  await world.pass(20 * minute)
  expect(await taken).toBe(false)
  expect(await world.events('failed')).toMatchObject([{ code: 'submit_unknown', partsSent: 1 }])
})

test('a part without a reference that went at quite another time takes no evidence away', async () => {
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

test('what was planned for a SIM that goes is sent by another, also when it goes while nobody runs', async () => {
  world.outcomes.push(busy, busy)
  const sim = world.sim(1)
  await world.sender.simReady(sim)
  await world.accept(sendCommand('a'))
  await world.pass(100)
  world.sender.simGone(sim)
  await world.sender.simReady(world.sim(2))
  await world.pass(50_000)
  expect(await world.events('waiting')).toHaveLength(2)
  await world.restart()
  world.sender.confirm()
  await world.sender.simReady(world.sim(3))
  await world.pass(minute)
  expect(world.sent.map(({ simNumber }) => simNumber)).toEqual([3])
})

test('a message that is cancelled while its time runs out has one end', async () => {
  await world.accept(sendCommand('a', { validUntil: world.iso(1000) }))
  await world.pass(990)
  world.disk.refuses = () => true
  const cancelled = world.sender.cancel('a')
  await world.pass(minute)
  world.disk.refuses = () => false
  await world.pass(minute)
  await cancelled
  expect(await world.events('cancelled')).toHaveLength(1)
  expect(await world.events('failed')).toHaveLength(0)
})

test('a full disk stops sending, and sending goes on by itself when there is room', async () => {
  await world.accept(...Array.from({ length: 20 }, (_, at) => sendCommand(`c${at}`)))
  world.disk.isFull = true
  await world.sender.simReady(world.sim(1))
  await world.pass(5 * minute)
  const sent = world.sent.length
  expect(sent).toBeLessThan(20)
  world.disk.isFull = false
  await world.pass(2 * minute)
  expect(world.sent.map(({ text }) => text).sort()).toEqual(
    Array.from({ length: 20 }, (_, at) => `text of c${at}`).sort(),
  )
  expect(await world.events('sent')).toHaveLength(20)
})

test('what is put in doubt in the middle of being sent stops there, and ends once', async () => {
  const sim = world.sim(1)
  let distrusted: Promise<void> | undefined
  await world.sender.simReady({
    ...sim,
    submit: async (pdu, options) => {
      const submitted = await sim.submit(pdu, options)
      distrusted ??= world.sender.distrust({ kind: 'journal-renounced', journalId: 'new', provenMark: 0 })
      return submitted
    },
  })
  await world.accept(sendCommand('a', { content: { text: 'long '.repeat(100) } }))
  await world.pass(30 * minute)
  await distrusted
  expect(world.sent).toHaveLength(1)
  expect(await world.events('failed')).toMatchObject([{ code: 'submit_unknown', partsSent: 1 }])
  expect(world.sender.open).toBe(0)
})

test('all of it sent while it was put in doubt is sent, and nothing else is told later', async () => {
  const sim = world.sim(1)
  await world.sender.simReady({
    ...sim,
    submit: async (pdu, options) => {
      void world.sender.distrust({ kind: 'journal-renounced', journalId: 'new', provenMark: 0 })
      return sim.submit(pdu, { ...options, beforePdu: async () => 'go' })
    },
  })
  await world.accept(sendCommand('a'))
  await world.pass(30 * minute)
  expect(await world.events('sent')).toHaveLength(1)
  expect(await world.events('failed')).toHaveLength(0)
})

test('nothing more of a long message goes out after the stop', async () => {
  const sim = world.sim(1)
  await world.sender.simReady({
    ...sim,
    submit: async (pdu, options) => {
      const submitted = await sim.submit(pdu, options)
      world.sender.stop()
      return submitted
    },
  })
  await world.accept(sendCommand('a', { content: { text: 'long '.repeat(100) } }))
  await world.pass(minute)
  await world.sender.settled()
  expect(world.sent).toHaveLength(1)
})

test.each([4, 10])('a limit of %i is kept, also one that is set when messages have gone already', async (value) => {
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('early'))
  await world.pass(100)
  const limit = { periodMs: 60 * minute, value }
  world.sender.use({ ...defaultSendingSettings, pace: { ...defaultSendingSettings.pace, limit } })
  await world.accept(...Array.from({ length: 30 }, (_, at) => sendCommand(`c${at}`)))
  await world.pass(50 * minute)
  expect(world.sent).toHaveLength(value)
  await world.pass(30 * minute)
  expect(world.sent).toHaveLength(2 * value)
})

test('what was sent at the second try counts for the limit after a restart', async () => {
  world.outcomes.push(busy)
  const limit = { periodMs: 12 * 60 * minute, value: 1 }
  const settings = { ...defaultSendingSettings, pace: { ...defaultSendingSettings.pace, limit } }
  world.sender.use(settings)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a'), sendCommand('b'))
  await world.pass(5 * minute)
  await world.restart()
  world.sender.confirm()
  world.sender.use(settings)
  await world.sender.simReady(world.sim(1))
  await world.pass(60 * minute)
  expect(world.sent).toHaveLength(1)
})

test('an encrypted number is held back too while one to it is in doubt', async () => {
  world = new SenderFixture({ opener: new ClearOpener() })
  world.outcomes.push(silence)
  await world.sender.simReady(world.sim(1))
  const encrypted = () => ({
    isEncrypted: true,
    phoneNumber: sealed('+447700900123'),
    content: { text: sealed('text') },
  })
  await world.accept(sendCommand('a', encrypted()))
  await world.pass(100)
  await world.accept(sendCommand('b', encrypted()))
  await world.pass(minute)
  expect(world.sent).toHaveLength(1)
  await world.pass(90_000)
  expect(world.sent).toHaveLength(2)
})

test('evidence for one part sends none of the others that are in doubt', async () => {
  await world.sender.simReady(world.sim(1))
  // The disk has room for each COMMIT, and none when the result is to be written.
  world.disk.refuses = ({ kind }) => kind === 'part-result'
  await world.accept(sendCommand('a', { content: { text: 'long '.repeat(80) } }))
  await world.pass(50)
  expect(world.sent).toHaveLength(3)
  world.disk.refuses = () => false
  await world.restart()
  world.sender.confirm()
  await world.sender.simReady(world.sim(1))
  const taken = world.sender.report('iccid-1', report(3, 0))
  await world.pass(minute)
  expect(await taken).toBe(true)
  await world.pass(20 * minute)
  expect(world.sent).toHaveLength(3)
  expect(await world.events('failed')).toMatchObject([{ code: 'submit_unknown' }])
})

test('a driver that fails costs its message, not the process nor those behind', async () => {
  const sim = world.sim(1)
  const failures = ['before', 'after']
  await world.sender.simReady({
    ...sim,
    submit: async (pdu, options) => {
      const failure = failures.shift()
      if (failure === 'after') await options.beforePdu({ cancelled: false })
      if (failure !== undefined) throw new Error('a mistake')
      return sim.submit(pdu, options)
    },
  })
  const to = (phoneNumber: string) => ({ phoneNumber })
  await world.accept(sendCommand('a', to('+4477009001')), sendCommand('b', to('+4477009002')), sendCommand('c'))
  await world.pass(20 * minute)
  expect(world.sent.map(({ text }) => text)).toEqual(['text of c'])
  expect(world.troubles).toHaveLength(2)
  expect((await world.events('failed')).map(({ cmdId, code }) => [cmdId, code])).toEqual([
    ['a', 'unwritable'],
    ['b', 'submit_unknown'],
  ])
})

test('a report that a part will not arrive counts although it came before the last part went out', async () => {
  const sim = world.sim(1)
  let reported = false
  await world.sender.simReady({
    ...sim,
    submit: async (pdu, options) => {
      if (world.sent.length === 1 && !reported) {
        reported = true
        const taken = world.sender.report('iccid-1', report(1, 0x46))
        await world.pass(20)
        expect(await taken).toBe(true)
      }
      return sim.submit(pdu, options)
    },
  })
  await world.accept(sendCommand('a', { content: { text: 'long '.repeat(50) } }))
  await world.pass(minute)
  expect(world.sent).toHaveLength(2)
  expect(await world.events('failed')).toMatchObject([{ code: 'report_failed' }])
})

test('a report about what is not written down yet is no evidence for another message', async () => {
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

test('a reference that comes again is evidence for the part in doubt, not for one that was delivered long ago', async () => {
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

test('evidence for what the journal has forgotten hangs nobody', async () => {
  world.outcomes.push(silence)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a'))
  await world.pass(20 * minute)
  world.disk.forget(world.clock.epochMs() + day)
  void world.sender.report('iccid-1', report(99, 0)).catch(() => undefined)
  await world.pass(minute)
  await world.accept(sendCommand('b'))
  await world.pass(minute)
  const matched = world.sender.report('iccid-1', report(2, 0))
  await world.pass(minute)
  expect(await matched).toBe(true)
  expect(await world.events('delivered')).toMatchObject([{ cmdId: 'b' }])
})

test('words of a modem are no longer than an event takes', async () => {
  world.outcomes.push({
    ...busy,
    error: { ...readCommandError('+CMS ERROR: 38')!, code: undefined, text: 'E\0'.repeat(5000) },
  } as SubmitOutcome)
  await world.sender.simReady(world.sim(1, '+'.repeat(400)))
  await world.accept(sendCommand('a'))
  await world.pass(60 * minute)
  const [refused] = await world.events('part-submitted')
  expect(refused?.code?.length).toBeLessThanOrEqual(200)
  expect(refused?.code).not.toContain('\0')
  expect((await world.events('sent'))[0]?.sender?.length).toBeLessThanOrEqual(128)
})

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
