import { readCommandError } from '@smsgw/modem/dialogue/errors/command-error'
import type { SubmitOutcome } from '@smsgw/modem/send/submit'
import { addressFromText } from '@smsgw/sms/fields/address'
import { timeStampFromEpochMs } from '@smsgw/sms/fields/time-stamp'
import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import { beforeEach, expect, test } from 'vitest'
import { ClearOpener, sealed } from '../testing/clear-opener.ts'
import { SenderFixture, sendCommand } from '../testing/sender-fixture.ts'
import { defaultSendingSettings } from './schedule/sending-settings.ts'

let world: SenderFixture

beforeEach(() => {
  world = new SenderFixture()
})

const minute = 60_000
const day = 24 * 60 * minute
const silence: SubmitOutcome = { kind: 'unknown', why: 'silence', error: undefined }
const busy: SubmitOutcome = { kind: 'refused', error: readCommandError('+CMS ERROR: 42')!, pduWritten: true }

test('sends a command once if it occurs twice in one frame', async () => {
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a'), sendCommand('a'))
  await world.pass(minute)
  expect(world.sent).toHaveLength(1)
  expect(world.sender.open).toBe(0)
})

test('creates no lane for a SIM that is removed while its history is read', async () => {
  await world.sender.simReady(world.sim(2))
  const sim = world.sim(1)
  const ready = world.sender.simReady(sim)
  world.sender.simGone(sim)
  await ready
  await world.accept(sendCommand('a'))
  await world.pass(minute)
  expect(world.sent.map(({ simNumber }) => simNumber)).toEqual([2])
})

test('uses the later of two SIM objects for the same card, even if the journal is slow', async () => {
  const gone = { ...world.sim(1), submit: async () => Promise.reject(new Error('the modem of before')) }
  await Promise.all([world.sender.simReady(gone), world.sender.simReady(world.sim(1))])
  await world.accept(sendCommand('a'))
  await world.pass(minute)
  expect(world.sent).toHaveLength(1)
})

test('sends through a SIM whose history cannot be read', async () => {
  world.disk.failReads = true
  await world.sender.simReady(world.sim(1))
  world.disk.failReads = false
  await world.accept(sendCommand('a'))
  await world.pass(minute)
  expect(world.sent).toHaveLength(1)
})

test('sends a planned message through another SIM when its own SIM is removed, also if it was removed between two processes', async () => {
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

test('ends a message only once if it is cancelled while it expires', async () => {
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

test('stops sending while the disk is full, and continues automatically', async () => {
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

test('stops a message that is put in doubt between two parts, and ends it only once', async () => {
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

test('reports a message as sent if its only part was accepted while the journal was distrusted', async () => {
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

test('after a stop, sends no further part of a long message', async () => {
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

test.each([4, 10])('keeps a limit of %i that is set after messages were sent', async (value) => {
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

test('after a restart, a message that was sent on the second try counts towards the limit', async () => {
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

test('also delays messages to an encrypted number while a message to this number is in doubt', async () => {
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

test('does not send a part in doubt after evidence for another part', async () => {
  await world.sender.simReady(world.sim(1))
  // The disk has space for each COMMIT, but not for any RESULT.
  world.disk.refuses = ({ kind }) => kind === 'part-result'
  await world.accept(sendCommand('a', { content: { text: 'long '.repeat(80) } }))
  await world.pass(50)
  expect(world.sent).toHaveLength(3)
  world.disk.refuses = () => false
  await world.restart()
  world.sender.confirm()
  await world.sender.simReady(world.sim(1))
  const late = { kind: 'accepted', messageReference: 3, detail: undefined, duplicate: false } as const
  const taken = world.sender.lateResult(JSON.stringify(['a', 2, 1]), late)
  await world.pass(minute)
  await taken
  expect(await world.events('part-submitted')).toMatchObject([{ part: 3, result: 'accepted' }])
  await world.pass(20 * minute)
  expect(world.sent).toHaveLength(3)
  expect(await world.events('failed')).toMatchObject([{ code: 'submit_unknown' }])
})

test('fails only the message whose submission throws', async () => {
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
  expect(world.problems).toHaveLength(2)
  expect((await world.events('failed')).map(({ cmdId, code }) => [cmdId, code])).toEqual([
    ['a', 'agent_failed'],
    ['b', 'submit_unknown'],
  ])
})

test('counts a failure report that arrives before the last part is sent', async () => {
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

test('ignores evidence for a message that the journal does not contain any more', async () => {
  world.outcomes.push(silence)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a'))
  await world.pass(20 * minute)
  world.disk.forget({ nowMs: world.clock.epochMs() + 9 * day, recordsMs: 8 * day })
  void world.sender.report('iccid-1', report(99, 0)).catch(() => undefined)
  await world.pass(minute)
  await world.accept(sendCommand('b'))
  await world.pass(minute)
  const matched = world.sender.report('iccid-1', report(2, 0))
  await world.pass(minute)
  expect(await matched).toBe(true)
  expect(await world.events('delivered')).toMatchObject([{ cmdId: 'b' }])
})

test('shortens the error text of a modem to the limit of an event', async () => {
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
