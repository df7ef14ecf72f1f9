import { beforeEach, expect, test } from 'vitest'
import { inboxRetention } from '../inbox/inbox-retention-statement.ts'
import { logRetention } from '../logs/log-retention-statement.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { deliveryRetention } from '../webhooks/outbox/delivery-retention-statement.ts'
import { type RetentionRule, retentionJob } from './retention.ts'

const now = new Date('2026-03-31T09:00:00.000Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
const shared = useTestDatabase()
beforeEach(async () => {
  await shared.database.account.deleteMany()
  await account('default', {})
  await account('short', { logs: { lifetime_days: 2 }, messages: { log_lifetime_days: 3 } })
  await account('long', { logs: { lifetime_days: 300 }, messages: { log_lifetime_days: 400 } })
})

async function account(id: string, settings: object): Promise<void> {
  await shared.database.account.create({ data: { id, username: id, passwordHash: '', settings } })
}
const accounts = ['default', 'long', 'short']
const run = (retention: RetentionRule) =>
  retentionJob({ database: shared.database, clock: { now: () => now } }, retention).run()

/** Returns the ages of the remaining rows in days, by account. */
async function left(ages: readonly number[], rows: () => Promise<{ accountId: string; createdAt: Date }[]>) {
  const found = await rows()
  const kept = (id: string) =>
    ages.filter((age) =>
      found.some((row) => row.accountId === id && row.createdAt.getTime() === daysAgo(age).getTime()),
    )
  return Object.fromEntries(accounts.map((id) => [id, kept(id)]))
}
const each = (ages: readonly number[]) =>
  accounts.flatMap((accountId) => ages.map((age) => ({ accountId, createdAt: daysAgo(age) })))

test('logs are kept for the number of days that the account has configured', async () => {
  const ages = [1, 1.9, 2.1, 29, 31, 299, 301]
  const { logEntry } = shared.database
  await logEntry.createMany({ data: each(ages).map((row) => ({ ...row, module: '', priority: '', message: '' })) })
  await run(logRetention)
  expect(await left(ages, () => logEntry.findMany())).toEqual({
    default: [1, 1.9, 2.1, 29],
    short: [1, 1.9],
    long: [1, 1.9, 2.1, 29, 31, 299],
  })
})

test('received messages are kept as long as sent messages', async () => {
  const ages = [2.9, 3.1, 29, 31, 399, 401]
  const { inboxItem } = shared.database
  const content = { deviceId: 'd1', type: 'SMS', sender: '' }
  await inboxItem.createMany({ data: each(ages).map((row, index) => ({ ...row, ...content, id: `${index}` })) })
  await run(inboxRetention)
  expect(await left(ages, () => inboxItem.findMany())).toEqual({
    default: [2.9, 3.1, 29],
    short: [2.9],
    long: [2.9, 3.1, 29, 31, 399],
  })
})

test('pictures are deleted with their message, in steps of a limited size, all in one run', async () => {
  const { inboxItem, inboxAttachment } = shared.database
  for (const [id, age] of [4, 5, 6, 2].entries()) {
    const facts = { accountId: 'short', id: `${id}`, deviceId: 'd1', type: 'MMS_DOWNLOADED', sender: '' }
    const { key: inboxKey } = await inboxItem.create({ data: { ...facts, createdAt: daysAgo(age) } })
    // The row contains a large size, so that the test needs no large picture.
    const picture = { position: 0, name: '', contentType: 'image/png', size: 40 * 2 ** 20, octets: new Uint8Array(1) }
    for (const partId of [1n, 2n]) await inboxAttachment.create({ data: { ...picture, inboxKey, partId } })
  }
  expect(await inboxRetention.deleteOlder(shared.database, 'short', daysAgo(3), 1000)).toBe(1)
  expect((await inboxItem.findMany({ orderBy: { key: 'asc' } })).map(({ id }) => id)).toEqual(['0', '1', '3'])
  expect(await inboxAttachment.count()).toBe(6)
  await run(inboxRetention)
  expect((await inboxItem.findMany()).map(({ id }) => id)).toEqual(['3'])
  expect(await inboxAttachment.count()).toBe(2)
})

test('deliveries are kept as long as messages, but at most 30 days, and waiting deliveries are kept', async () => {
  const ages = [2.9, 3.1, 29, 31, 399]
  const { webhook, webhookDelivery } = shared.database
  for (const accountId of accounts) {
    const data = { accountId, id: 'w1', url: '', event: 'sms:sent', secretSealed: '' }
    const { key } = await webhook.create({ data })
    const rows = each(ages).filter((row) => row.accountId === accountId)
    const common = { webhookKey: key, deviceId: 'd1', event: 'sms:sent', payload: {} }
    for (const state of ['delivered', 'failed', 'dropped'])
      await webhookDelivery.createMany({
        data: rows.map((row, index) => ({ ...row, ...common, state, id: `${state}${index}` })),
      })
    await webhookDelivery.create({ data: { ...common, accountId, createdAt: daysAgo(500), state: 'waiting', id: 'w' } })
  }
  await run(deliveryRetention)
  const kept = { default: [2.9, 3.1, 29], short: [2.9], long: [2.9, 3.1, 29] }
  for (const state of ['delivered', 'failed', 'dropped'])
    expect(await left(ages, () => webhookDelivery.findMany({ where: { state } }))).toEqual(kept)
  expect(await webhookDelivery.count({ where: { state: 'waiting' } })).toBe(3)
})

test('waiting deliveries of a paused webhook are kept only as long as finished deliveries', async () => {
  const { webhook, webhookDelivery } = shared.database
  const data = { accountId: 'short', id: 'w1', url: '', event: 'sms:sent', secretSealed: '', heldSince: daysAgo(9) }
  const { key: webhookKey } = await webhook.create({ data })
  const common = { webhookKey, accountId: 'short', deviceId: 'd1', event: 'sms:sent', payload: {}, state: 'waiting' }
  for (const days of [2.9, 3.1])
    await webhookDelivery.create({ data: { ...common, id: `${days}`, createdAt: daysAgo(days) } })
  await run(deliveryRetention)
  expect(await webhookDelivery.findMany({ select: { id: true } })).toEqual([{ id: '2.9' }])
})

test('more rows than one transaction deletes are all deleted, for every account', async () => {
  const row = { accountId: 'short', createdAt: daysAgo(40), module: '', priority: '', message: '' }
  await shared.database.logEntry.createMany({ data: Array.from({ length: 2100 }, () => row) })
  const many = Array.from({ length: 60 }, (_, count) => `many${String(count).padStart(2, '0')}`)
  const data = many.map((id) => ({ id, username: id, passwordHash: '' }))
  await shared.database.account.createMany({ data })
  await shared.database.logEntry.createMany({ data: [{ ...row, accountId: 'many59' }] })
  await run(logRetention)
  expect(await shared.database.logEntry.count()).toBe(0)
})

test('a run deletes only some of the entries that are dropped with their partition, and all others', async () => {
  const rows = (accountId: string, count: number) =>
    Array.from({ length: count }, () => ({ accountId, createdAt: daysAgo(301), module: '', priority: '', message: '' }))
  await shared.database.logEntry.createMany({ data: [...rows('long', 2100), ...rows('short', 2100)] })
  const clock = { now: () => now }
  await retentionJob({ database: shared.database, clock, mostDroppedRows: 1000 }, logRetention).run()
  expect(await shared.database.logEntry.groupBy({ by: 'accountId', _count: true })).toEqual([
    { accountId: 'long', _count: 1100 },
  ])
})
