import { readCommandError } from '@smsgw/modem/dialogue/errors/command-error'
import type { SubmitOutcome } from '@smsgw/modem/send/submit'
import { beforeEach, expect, test } from 'vitest'
import { SenderFixture, sendCommand } from '../testing/sender-fixture.ts'
import { defaultSendingSettings } from './schedule/sending-settings.ts'

let world: SenderFixture

beforeEach(() => {
  world = new SenderFixture()
})

const minute = 60_000
const silence: SubmitOutcome = { kind: 'unknown', why: 'silence', error: undefined }

test('sends a message through the ready SIM, and reports the number and the parts', async () => {
  await world.sender.simReady(world.sim(2, '+447700900002'))
  await world.accept(sendCommand('a'))
  await world.pass(100)
  expect(world.sent.map(({ simNumber, text }) => [simNumber, text])).toEqual([[2, 'text of a']])
  expect(await world.events('sent')).toMatchObject([{ cmdId: 'a', simNumber: 2, sender: '+447700900002', parts: 1 }])
})

test('sends urgent messages first, then the oldest first, or the newest first in LIFO order', async () => {
  const at = (minutes: number) => `2026-03-01T12:0${minutes}:00.000Z`
  const commands = [
    sendCommand('second', { acceptedAt: at(2) }),
    sendCommand('urgent', { acceptedAt: at(3), priority: 100 }),
    sendCommand('first', { acceptedAt: at(1) }),
  ]
  await world.accept(...commands)
  await world.sender.simReady(world.sim(1))
  await world.pass(100)
  expect(world.sent.map(({ text }) => text)).toEqual(['text of urgent', 'text of first', 'text of second'])
  const lifo = new SenderFixture()
  lifo.sender.use({ ...defaultSendingSettings, order: 'LIFO' })
  await lifo.accept(...commands)
  await lifo.sender.simReady(lifo.sim(1))
  await lifo.pass(100)
  expect(lifo.sent.map(({ text }) => text)).toEqual(['text of urgent', 'text of second', 'text of first'])
})

test('sends a repeated command once', async () => {
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a'))
  await world.accept(sendCommand('a'))
  await world.pass(1000)
  await world.restart()
  world.sender.confirm()
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a'))
  await world.pass(1000)
  expect(world.sent).toHaveLength(1)
})

test('cancels a message before its first part, refuses a later cancel, and stores a cancel that arrives before its message', async () => {
  await world.accept(sendCommand('waiting'))
  const cancels = [world.sender.cancel('waiting'), world.sender.cancel('unseen')]
  await world.pass(10)
  await Promise.all(cancels)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('unseen'), sendCommand('sent'))
  await world.pass(100)
  const late = world.sender.cancel('sent')
  await world.pass(10)
  await late
  expect(world.sent.map(({ text }) => text)).toEqual(['text of sent'])
  expect((await world.events('cancelled')).map(({ cmdId }) => cmdId)).toEqual(['waiting', 'unseen'])
  expect((await world.events('cancel-refused')).map(({ cmdId }) => cmdId)).toEqual(['sent'])
})

test('reports SIM and number of failed and cancelled messages, also when no part was sent', async () => {
  const sender = { simNumber: 2, sender: '+447700900002' }
  await world.sender.simReady(world.sim(1, '+447700900001'))
  await world.sender.simReady(world.sim(2, '+447700900002'))
  world.outcomes.push(refused(1), silence)
  await world.accept(sendCommand('refused', { simNumber: 2 }))
  await world.pass(100)
  await world.accept(sendCommand('unknown', { simNumber: 2 }))
  await world.pass(20 * minute)
  world.sender.use({
    ...defaultSendingSettings,
    pace: { ...defaultSendingSettings.pace, limit: { value: 1, periodMs: 24 * 60 * minute } },
  })
  const late = { simNumber: 2, validUntil: world.iso(minute) }
  await world.accept(sendCommand('expired', late), sendCommand('cancelled', { simNumber: 2 }))
  const cancelling = world.sender.cancel('cancelled')
  await world.pass(2 * minute)
  await cancelling
  expect(await world.events('failed')).toMatchObject([
    { cmdId: 'refused', code: 'refused', ...sender },
    { cmdId: 'unknown', code: 'submit_unknown', ...sender },
    { cmdId: 'expired', code: 'ttl_expired', ...sender },
  ])
  expect(await world.events('cancelled')).toMatchObject([{ cmdId: 'cancelled', ...sender }])
})

test('does not send an expired message, and passes the remaining time to the network', async () => {
  await world.accept(sendCommand('short', { validUntil: world.iso(5 * minute) }))
  await world.pass(6 * minute)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('long', { validUntil: world.iso(60 * minute) }))
  await world.pass(100)
  expect(await world.events('failed')).toMatchObject([{ cmdId: 'short', code: 'ttl_expired', reason: 'TTL expired' }])
  // In TP-VP, values from 0 to 143 are steps of five minutes, so 11 is an hour.
  expect(world.sent.map(({ submit }) => submit.validityPeriod)).toMatchObject([{ format: 'relative', value: 10 }])
})

test('fails a message without a deadline after its maximum age, with the last reason', async () => {
  await world.accept(sendCommand('a'))
  await world.pass(73 * 60 * minute)
  expect(await world.events('failed')).toMatchObject([{ cmdId: 'a', code: 'gave_up' }])
})

test('delays only messages with a deadline while the clock cannot be trusted', async () => {
  world.time.trusted = false
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('dated', { validUntil: world.iso(minute) }), sendCommand('open'))
  await world.pass(1000)
  expect(world.sent.map(({ text }) => text)).toEqual(['text of open'])
  world.time.trusted = true
  world.sender.timeChanged()
  await world.pass(1000)
  expect(world.sent.map(({ text }) => text)).toEqual(['text of open', 'text of dated'])
})

test('retries after a temporary refusal with growing pauses, and fails at once after a permanent refusal', async () => {
  world.outcomes.push(refused(38), refused(38), accepted(1), refused(1))
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('again'))
  await world.pass(20 * minute)
  expect(world.sent.map(({ text }) => text)).toEqual(['text of again'])
  expect(await world.events('waiting')).toMatchObject([{ code: 'retrying' }, { code: 'retrying' }])
  await world.accept(sendCommand('never'))
  await world.pass(100)
  expect(await world.events('failed')).toMatchObject([{ cmdId: 'never', code: 'refused' }])
  expect((await world.events('failed'))[0]?.reason).toContain('CMS 1')
})

test('sends the next message while a refused message waits', async () => {
  world.outcomes.push(refused(42), accepted(1))
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('bad', { phoneNumber: '+447700900111' }), sendCommand('good'))
  await world.pass(100)
  expect(world.sent.map(({ text }) => text)).toEqual(['text of good'])
})

test('stops after a permanent refusal of a part, and reports how many parts were sent', async () => {
  world.outcomes.push(accepted(1), refused(28))
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('long', { content: { text: 'x'.repeat(400) } }))
  await world.pass(100)
  expect(world.sent).toHaveLength(1)
  const [failed] = await world.events('failed')
  expect(failed?.reason).toMatch(/^partial 1\/3: /)
})

test('does not repeat a part with an unknown outcome, delays messages to its number for two minutes, and ends it as submit_unknown', async () => {
  world.outcomes.push(silence)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('doubtful'))
  await world.pass(1000)
  await world.accept(sendCommand('same number'), sendCommand('other number', { phoneNumber: '+447700900777' }))
  await world.pass(minute)
  expect(world.sent.map(({ text }) => text)).toEqual(['text of doubtful', 'text of other number'])
  await world.pass(2 * minute)
  expect(world.sent.map(({ text }) => text)).toEqual([
    'text of doubtful',
    'text of other number',
    'text of same number',
  ])
  await world.pass(20 * minute)
  expect(await world.events('failed')).toMatchObject([{ cmdId: 'doubtful', code: 'submit_unknown' }])
  expect(world.sent).toHaveLength(3)
})

test('resolves a doubt after a late answer, and corrects submit_unknown', async () => {
  world.outcomes.push(silence, silence)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('soon'), sendCommand('late', { phoneNumber: '+447700900777' }))
  await world.pass(minute)
  const answer = { kind: 'accepted', messageReference: 9, detail: undefined } as const
  const soon = world.sender.lateResult(JSON.stringify(['soon', 0, 1]), answer)
  await world.pass(20 * minute)
  await soon
  expect(await world.events('failed')).toMatchObject([{ cmdId: 'late', code: 'submit_unknown' }])
  const late = world.sender.lateResult(JSON.stringify(['late', 0, 1]), answer)
  await world.pass(100)
  await late
  expect((await world.events('sent')).map(({ cmdId }) => cmdId)).toEqual(['soon', 'late'])
})

test('sends a message in doubt once more on request, marked as a possible duplicate', async () => {
  world.outcomes.push(silence)
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a', { onUncertain: 'resend' }))
  await world.pass(30 * minute)
  expect(world.sent).toHaveLength(2)
  expect(await world.events('sent')).toMatchObject([{ cmdId: 'a', possibleDuplicate: true }])
})

test('refuses to cancel a message that is sent again, and fails it as submit_unknown', async () => {
  world.outcomes.push(silence, silence, silence, refused(1))
  const sim = world.sim(1)
  await world.sender.simReady(sim)
  const again = (at: number) => ({ onUncertain: 'resend' as const, phoneNumber: `+44770090077${at}` })
  await world.accept(
    sendCommand('cancelled', again(1)),
    sendCommand('expired', { ...again(2), validUntil: world.iso(30 * minute) }),
    sendCommand('refused', { ...again(3), priority: 1, simNumber: 1 }),
  )
  await world.pass(1000)
  world.sender.simGone(sim)
  await world.pass(20 * minute)
  const cancel = world.sender.cancel('cancelled')
  await world.pass(20 * minute)
  await cancel
  await world.sender.simReady(world.sim(1))
  await world.pass(minute)
  expect(await world.events('cancelled')).toEqual([])
  expect(await world.events('cancel-refused')).toMatchObject([{ cmdId: 'cancelled' }])
  expect((await world.events('failed')).map(({ cmdId, code }) => [cmdId, code])).toEqual([
    ['expired', 'submit_unknown'],
    ['refused', 'submit_unknown'],
  ])
  expect((await world.events('failed'))[0]?.reason).toContain('TTL expired')
})

test('sends messages of a restored journal after the relay confirmed the journal, and none of an old copy', async () => {
  await world.accept(sendCommand('open'))
  await world.restart()
  await world.sender.simReady(world.sim(1))
  await world.pass(minute)
  expect(world.sent).toEqual([])
  const distrusted = world.sender.distrust({ kind: 'journal-renounced', journalId: 'other', provenMark: 0 })
  await world.pass(30 * minute)
  await distrusted
  world.sender.confirm()
  await world.pass(minute)
  expect(world.sent).toEqual([])
  expect(await world.events('failed')).toMatchObject([{ cmdId: 'open', code: 'submit_unknown' }])
})

test('fails a message for an unknown SIM, and lists the SIMs of the device', async () => {
  world.sender.simsKnown([1, 2])
  await world.accept(sendCommand('a', { simNumber: 3 }))
  await world.pass(10)
  expect((await world.events('failed'))[0]).toMatchObject({ code: 'no_such_sim' })
  expect((await world.events('failed'))[0]?.reason).toContain('it has: 1, 2')
})

test('alternates SIMs with round robin, and passes messages of a removed SIM to another SIM', async () => {
  world.sender.use({ ...defaultSendingSettings, simSelection: 'RoundRobin' })
  const sim = world.sim(1)
  await world.sender.simReady(sim)
  await world.sender.simReady(world.sim(2))
  await world.accept(...['a', 'b', 'c', 'd'].map((id) => sendCommand(id)))
  await world.pass(100)
  expect(world.sent.map(({ simNumber }) => simNumber).sort()).toEqual([1, 1, 2, 2])
  world.sender.simGone(sim)
  await world.accept(sendCommand('e'), sendCommand('f'))
  await world.pass(100)
  expect(world.sent.slice(4).map(({ simNumber }) => simNumber)).toEqual([2, 2])
})

test('keeps the limit across a restart, and lets urgent messages pass', async () => {
  const settings = {
    ...defaultSendingSettings,
    pace: { ...defaultSendingSettings.pace, limit: { periodMs: 60 * minute, value: 2 } },
  }
  world.sender.use(settings)
  await world.sender.simReady(world.sim(1))
  await world.accept(...['a', 'b', 'c'].map((id) => sendCommand(id)))
  await world.pass(minute)
  expect(world.sent).toHaveLength(2)
  await world.accept(sendCommand('urgent', { priority: 100 }))
  await world.pass(100)
  expect(world.sent.at(-1)?.text).toBe('text of urgent')
  await world.restart()
  world.sender.use(settings)
  world.sender.confirm()
  await world.sender.simReady(world.sim(1))
  await world.pass(10 * minute)
  expect(world.sent).toHaveLength(3)
  await world.pass(60 * minute)
  expect(world.sent).toHaveLength(4)
})

test('sends only urgent messages outside the work hours', async () => {
  // The clock of the fixture starts at 16:00.
  world.sender.use({
    ...defaultSendingSettings,
    pace: { ...defaultSendingSettings.pace, workHours: { startMinute: 22 * 60, endMinute: 6 * 60 } },
  })
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('night'), sendCommand('urgent', { priority: 120 }))
  await world.pass(5 * 60 * minute)
  expect(world.sent.map(({ text }) => text)).toEqual(['text of urgent'])
  await world.pass(2 * 60 * minute)
  expect(world.sent.map(({ text }) => text)).toEqual(['text of urgent', 'text of night'])
})

test('pauses between messages, not between parts', async () => {
  world.sender.use({
    ...defaultSendingSettings,
    pace: { ...defaultSendingSettings.pace, intervalMinMs: 10_000, intervalMaxMs: 10_000 },
  })
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a', { content: { text: 'x'.repeat(300) } }), sendCommand('b'))
  await world.pass(minute)
  const [first, second, third] = world.sent.map(({ atMs }) => atMs)
  expect((second ?? 0) - (first ?? 0)).toBeLessThan(1000)
  expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(9_000)
})

test.each([-86_400_000, -3_600_000, 3_600_000, 86_400_000])(
  'keeps pauses and limits when the clock is set by %d ms',
  async (byMs) => {
    world.sender.use({
      ...defaultSendingSettings,
      pace: {
        ...defaultSendingSettings.pace,
        intervalMinMs: 10_000,
        intervalMaxMs: 10_000,
        limit: { periodMs: minute, value: 2 },
      },
    })
    await world.sender.simReady(world.sim(1))
    await world.accept(sendCommand('a'), sendCommand('b'), sendCommand('c'))
    await world.pass(1_000)
    world.time.errorMs += byMs
    world.sender.timeChanged()
    await world.pass(15_000)
    expect(world.sent.slice(0, 2).map(({ text }) => text)).toEqual(['text of a', 'text of b'])
    await world.pass(minute)
    expect(world.sent.map(({ text }) => text)).toEqual(['text of a', 'text of b', 'text of c'])
  },
)

test('sends data to its port', async () => {
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a', { content: { data: Buffer.from([1, 2, 255]).toString('base64'), port: 2948 } }))
  await world.pass(100)
  expect(world.sent[0]?.text).toBe('0102FF')
})

test('fails a message whose number cannot be dialled, and reports the reason', async () => {
  await world.sender.simReady(world.sim(1))
  await world.accept(sendCommand('a', { phoneNumber: 'Bank' }))
  await world.pass(100)
  expect(await world.events('failed')).toMatchObject([{ cmdId: 'a', code: 'unwritable' }])
})

function accepted(messageReference: number): SubmitOutcome {
  return { kind: 'accepted', messageReference, detail: undefined, duplicate: false }
}

function refused(code: number): SubmitOutcome {
  const error = readCommandError(`+CMS ERROR: ${code}`)
  if (error === undefined) throw new Error('no such code')
  return { kind: 'refused', error, pduWritten: true }
}
