import { randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type DispatchWorld, dispatchWorld } from '../../link/testing/dispatch-world.ts'
import { HELD } from '../../messages/approval/decide-approval-statement.ts'
import { systemRandom } from '../../random.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { checkInstallation } from '../installation.ts'
import { secretBox } from '../secret-box.ts'
import { correctStoredTimes } from './correct-stored-times-statement.ts'
import { behindStoredTimesMs } from './read-clock-statement.ts'

const HOUR = 3_600_000

const store = useTestDatabase()
let world: DispatchWorld

beforeAll(async () => {
  await checkInstallation(store.database, secretBox(randomBytes(32).toString('base64'), systemRandom), systemRandom)
})

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  await store.database.installation.updateMany({ data: { clockSetBackAt: null } })
})

const fromNow = (ms: number) => new Date(Date.now() + ms)
/** Rounds to the nearest minute. */
const minutesLeft = (time: Date | null | undefined) =>
  Number((((time?.getTime() ?? 0) - Date.now()) / 60_000).toFixed())

async function delivery(nextAttemptAt: Date): Promise<void> {
  await world.webhook('sms:sent')
  const { key } = await store.database.webhook.findFirstOrThrow()
  const about = { accountId: 'account', deviceId: 'device', event: 'sms:sent', payload: {} }
  await store.database.webhookDelivery.create({ data: { ...about, id: 'd', webhookKey: key, nextAttemptAt } })
}

const nextAttemptAt = async () => (await store.database.webhookDelivery.findFirstOrThrow()).nextAttemptAt

test('corrects a first attempt that a wrong clock scheduled an hour too late', async () => {
  await delivery(fromNow(HOUR))
  await correctStoredTimes(store.database, HOUR)
  expect(minutesLeft(await nextAttemptAt())).toEqual(expect.closeTo(0))
})

test('keeps the remaining time of a retry and a pause, and corrects both times only once for several relays', async () => {
  await delivery(fromNow(HOUR + 1_800_000))
  await store.database.webhook.updateMany({ data: { pausedUntil: fromNow(HOUR + 60_000) } })
  await Promise.all([correctStoredTimes(store.database, HOUR), correctStoredTimes(store.database, HOUR)])
  expect(minutesLeft(await nextAttemptAt())).toBe(30)
  expect(minutesLeft((await store.database.webhook.findFirstOrThrow()).pausedUntil)).toBe(1)
})

test('corrects notifications for browsers that a wrong clock scheduled too late, and keeps the remaining time of a pause', async () => {
  const about = { accountId: 'account', subscriptionId: 's', kind: 'message.received', about: '+1', attempts: 1 }
  const create = (topic: string, createdAt: Date, nextAttemptAt: Date) =>
    store.database.pushNotification.create({ data: { ...about, topic, createdAt, nextAttemptAt } })
  await create('first', fromNow(HOUR), fromNow(HOUR))
  await create('retry', fromNow(-60_000), fromNow(HOUR + 300_000))
  await correctStoredTimes(store.database, HOUR)
  const stored = await store.database.pushNotification.findMany({ orderBy: { topic: 'asc' } })
  expect(stored.map(({ createdAt, nextAttemptAt }) => [createdAt, nextAttemptAt].map(minutesLeft))).toEqual([
    [expect.closeTo(0), expect.closeTo(0)],
    [-1, 5],
  ])
})

test('corrects notices to phones that a wrong clock scheduled too late', async () => {
  const { id: deviceId } = await store.database.device.findFirstOrThrow()
  const times = { noticedUntil: fromNow(HOUR), nextAttemptAt: fromNow(HOUR), streamsUntil: fromNow(HOUR) }
  await store.database.phonePush.create({ data: { deviceId, tokenSealed: 'sealed', settingsVersion: 1, ...times } })
  await correctStoredTimes(store.database, HOUR)
  const { noticedUntil, nextAttemptAt, streamsUntil } = await store.database.phonePush.findFirstOrThrow()
  expect([noticedUntil, nextAttemptAt].map(minutesLeft)).toEqual([expect.closeTo(0), expect.closeTo(0)])
  expect(streamsUntil?.getTime()).toBeLessThan(Date.now() + 31_000)
})

test('corrects the queue position of an unscheduled message, and keeps the time of a scheduled message', async () => {
  await world.message('m')
  await world.message('scheduled', { scheduleAt: fromNow(2 * HOUR) })
  await store.database.recipient.updateMany({ where: { cmdId: 'm/0' }, data: { dueAt: fromNow(HOUR) } })
  await correctStoredTimes(store.database, HOUR)
  expect(minutesLeft((await world.recipient('m/0')).dueAt)).toEqual(expect.closeTo(0))
  expect(minutesLeft((await world.recipient('scheduled/0')).dueAt)).toBe(120)
})

test('does not release a message that waits for approval', async () => {
  await world.message('held')
  await store.database.message.updateMany({ data: { approval: 'pending', approvalUntil: fromNow(HOUR) } })
  await store.database.recipient.updateMany({ data: { dueAt: HELD, notBefore: HELD } })
  await correctStoredTimes(store.database, HOUR)
  expect(await world.recipient('held/0')).toMatchObject({ dueAt: HELD, notBefore: HELD })
})

test('detects from the stored times that the clock is too old at a start, but only once', async () => {
  expect(await behindStoredTimesMs(store.database)).toEqual(expect.closeTo(0))
  await store.database.device.updateMany({ data: { lastSeen: fromNow(HOUR) } })
  expect(Math.round((await behindStoredTimesMs(store.database)) / 60_000)).toBe(60)
  await correctStoredTimes(store.database, HOUR)
  expect(await behindStoredTimesMs(store.database)).toEqual(expect.closeTo(0))
})
