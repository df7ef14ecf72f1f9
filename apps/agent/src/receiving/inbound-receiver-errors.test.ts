import { beforeEach, expect, test } from 'vitest'
import { ReceiverFixture } from '../testing/receiver-fixture.ts'

let world: ReceiverFixture

beforeEach(() => {
  world = new ReceiverFixture()
})

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

test('keeps a report about a message that was sent a moment ago on disk until the report is matched', async () => {
  world.reportsAreRecent = true
  world.reportsFail = true
  await Promise.all([world.direct(world.statusReport(1)), world.pass(1000)])
  expect(world.acknowledged).toBe(1)
  world.reportsFail = false
  await world.restart()
  await world.pass(1000)
  expect(world.reports).toMatchObject([{ messageReference: 1 }])
})

test('takes a report without reading the journal if the answer for its message arrives at the same moment', async () => {
  world.disk.failReads = true
  const taken = world.direct(world.statusReport(1))
  world.reportsAreRecent = true
  await Promise.all([taken, world.pass(1000)])
  expect(world.reports).toMatchObject([{ messageReference: 1 }])
  expect(world.acknowledged).toBe(1)
})

test('takes a short message without reading the journal', async () => {
  world.disk.failReads = true
  world.deliver(one('hello'))
  await world.pass(3000)
  expect(world.storage.size).toBe(0)
  world.disk.failReads = false
  expect(await world.received()).toMatchObject([{ type: 'SMS', text: 'hello' }])
})

test('keeps messages on the SIM and unacknowledged while the disk is full, and continues automatically', async () => {
  world.disk.isFull = true
  for (let at = 0; at < 40; at += 1) world.deliver(one(`${at} ${'x'.repeat(100)}`))
  void world.direct(one('straight from the network'))
  for (let again = 0; again < 10; again += 1) {
    await world.pass(10 * minute)
    world.sweep()
  }
  const reported = (await world.received()).length
  expect(reported).toBeLessThan(40)
  expect(world.storage.size).toBeGreaterThanOrEqual(40 - reported)
  expect(world.acknowledged).toBe(0)
  world.disk.isFull = false
  await world.pass(10 * minute)
  expect(new Set((await world.received()).map(({ id }) => id)).size).toBe(41)
  expect(await world.received()).toHaveLength(41)
  expect(world.storage.size).toBe(0)
  expect(world.acknowledged).toBe(1)
})

test('reports a message once if it is read twice before it is on disk', async () => {
  const slow = new ReceiverFixture(() => 0.9)
  for (let at = 0; at < 12; at += 1) slow.store(slow.text(`message ${at}`)[0] as string)
  // After these iterations, one message is journaled but not deleted, and later messages wait until the disk has space.
  for (let turn = 0; turn < 200; turn += 1) {
    slow.sweep()
    await slow.pass(10)
  }
  await slow.pass(10 * minute)
  expect(await slow.received()).toHaveLength(12)
  expect(slow.storage.size).toBe(0)
})

test('deletes messages from the other slots if a message cannot be deleted from one slot', async () => {
  world.stuck.add(0)
  for (let at = 0; at < 5; at += 1) world.deliver(one(`message ${at}`))
  await world.pass(10_000)
  expect([...world.storage.keys()]).toEqual([0])
  world.stuck.clear()
  await world.pass(10 * minute)
  expect(world.storage.size).toBe(0)
})

test('deletes a message after the SIM has returned', async () => {
  world.deletesWork = false
  world.deliver(one('hello'))
  await world.pass(1000)
  world.simGone()
  await world.pass(hour)
  world.deletesWork = true
  world.simReady()
  await world.pass(1000)
  expect(world.storage.size).toBe(0)
  expect(await world.received()).toHaveLength(1)
})

test('deletes the messages of a moved card through its new modem, whenever the old modem reports that the card is gone', async () => {
  const before = { ...world.sim }
  world.receiver.simReady(before)
  world.simReady()
  world.receiver.simGone(before)
  world.deliver(one('hello'))
  await world.pass(1000)
  expect(world.storage.size).toBe(0)
})

test('joins parts received with a wrong clock with parts received after a restart', async () => {
  const [first, second] = world.text('long '.repeat(50)) as [string, string]
  world.time.errorMs = 1000 - world.clock.epochMs()
  world.time.trusted = false
  world.deliver(first)
  await world.pass(minute)
  world.time.errorMs = 0
  world.time.trusted = true
  await settled(world)
  world.disk.forget({ nowMs: world.clock.epochMs(), recordsMs: 8 * day })
  await world.restart()
  await world.pass(10 * minute)
  world.deliver(second)
  await world.pass(1000)
  expect(await world.received()).toMatchObject([{ text: 'long '.repeat(50), parts: 2 }])
})

test('restores the state of long messages after any number of releases', async () => {
  await world.restart()
  const wholes = Array.from({ length: 5 }, (_, at) => world.text(`${at} ${'long '.repeat(50)}`, { reference: at }))
  for (const [first] of wholes) {
    world.deliver(first as string)
    await world.pass(70 * minute)
  }
  expect((await world.received()).filter((event) => 'isPartial' in event)).toHaveLength(5)
  await world.restart()
  for (const [, second] of wholes) world.deliver(second as string)
  await world.pass(minute)
  const ids = (await world.received()).map(({ id }) => id)
  expect(ids).toHaveLength(10)
  expect(new Set(ids).size).toBe(5)
})

test('retries a report when its reference becomes known, not with every sent message', async () => {
  world.reportsMatch = false
  for (let reference = 0; reference < 50; reference += 1) world.deliver(world.statusReport(reference))
  await world.pass(minute)
  expect(world.reports).toHaveLength(50)
  world.receiver.tryReports(7)
  await world.pass(minute)
  expect(world.reports.slice(50).map(({ messageReference }) => messageReference)).toEqual([7])
  world.reportsMatch = true
  world.receiver.tryReports(undefined)
  await world.pass(minute)
  expect(world.reports).toHaveLength(101)
  world.receiver.tryReports(undefined)
  await world.pass(minute)
  expect(world.reports).toHaveLength(101)
})

test('receives the next messages after one message fails', async () => {
  world.reportsFail = true
  world.deliver(world.statusReport(1))
  world.breakNextDeletion = true
  world.deliver(one('first'))
  await world.pass(minute)
  world.deliver(one('second'))
  await world.pass(minute)
  expect((await world.received()).map((event) => event.type === 'SMS' && event.text)).toEqual(['first', 'second'])
  expect(world.storage.size).toBe(0)
  expect(world.problems.length).toBeGreaterThanOrEqual(2)
  world.reportsFail = false
  world.receiver.tryReports(1)
  await world.pass(minute)
  expect(world.reports).toHaveLength(1)
})

test('loses no parts if the journal cannot be read while the parts are being released', async () => {
  await world.restart()
  world.deliver(world.text('long '.repeat(50))[0] as string)
  await world.pass(50 * minute)
  world.disk.failReads = true
  await world.pass(30 * minute)
  world.disk.failReads = false
  await world.pass(minute)
  world.deliver(one('after'))
  await world.pass(minute)
  expect((await world.received()).map(({ type }) => type)).toEqual(['SMS', 'SMS'])
})

function one(text: string): string {
  return world.text(text)[0] as string
}

async function settled({ receiver, pass }: ReceiverFixture): Promise<void> {
  const done = receiver.settleWaiting()
  await pass.call(world, 1000)
  await done
}
