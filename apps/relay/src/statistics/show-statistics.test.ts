import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { route } from '../http/route.ts'
import type { Prisma } from '../store/generated/client.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../testing/test-endpoints.ts'
import { showStatistics } from './show-statistics.ts'

const now = new Date('2026-03-01T09:07:30.000Z')
const shared = useTestDatabase()
let api: TestEndpoints
beforeAll(async () => {
  const deps = { database: shared.database, clock: { now: () => now } }
  api = await testEndpoints([route('GET', '/statistics', 'messages:list', '', showStatistics(deps))])
})
afterAll(() => api.close())
beforeEach(async () => {
  for (const id of ['a1', 'a2']) await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
})
afterEach(() => shared.database.account.deleteMany())

const at = (time: string) => new Date(`2026-03-01T${time}Z`)
let made = 0

async function message(more: Partial<Prisma.MessageUncheckedCreateInput> & { createdAt: Date }): Promise<void> {
  made += 1
  await shared.database.message.create({ data: { accountId: 'a1', id: `m${made}`, deviceId: 'd', ...more } })
}

interface Statistics {
  readonly period: string
  readonly stepSeconds: number
  readonly buckets: readonly { readonly at: string; readonly [member: string]: unknown }[]
}

async function statistics(query: string, account = 'a1'): Promise<Statistics> {
  const { status, json } = await api.request(account, 'GET', `/statistics${query}`)
  expect(status).toBe(200)
  return json as Statistics
}

const nothing = { accepted: 0, sent: 0, delivered: 0, failed: 0, received: 0, acceptToSentMs: null }
const busy = ({ buckets }: Statistics) =>
  buckets
    .filter((bucket) => Object.entries(nothing).some(([member, none]) => bucket[member] !== none))
    .map(({ at, ...counts }) => [
      at.slice(11, 16),
      Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0 && count !== null)),
    ])

test.each([
  ['?period=hour', 60, 60, '2026-03-01T08:08:00.000Z', '2026-03-01T09:07:00.000Z'],
  ['?period=day', 900, 96, '2026-02-28T09:15:00.000Z', '2026-03-01T09:00:00.000Z'],
  ['', 900, 96, '2026-02-28T09:15:00.000Z', '2026-03-01T09:00:00.000Z'],
  ['?period=week', 7_200, 84, '2026-02-22T10:00:00.000Z', '2026-03-01T08:00:00.000Z'],
])(
  'the period %s has steps of %i s and %i buckets, of which the last includes now',
  async (query, stepSeconds, count, first, last) => {
    const { buckets, ...rest } = await statistics(query)
    expect(rest).toEqual({ period: query.split('=')[1] ?? 'day', stepSeconds })
    expect(buckets).toHaveLength(count)
    expect(buckets[0]).toEqual({ at: first, ...nothing })
    expect(buckets.at(-1)).toEqual({ at: last, ...nothing })
  },
)

test('each step of a message counts when it happened', async () => {
  await message({
    state: 'Delivered',
    createdAt: at('09:00:59.999'),
    sentAt: at('09:02:00.000'),
    deliveredAt: at('09:05:00'),
  })
  await message({ state: 'Failed', createdAt: at('09:02:00'), failedAt: at('09:02:30') })
  // A corrected failure is not counted.
  await message({ state: 'Sent', createdAt: at('09:02:00'), failedAt: at('09:02:30'), sentAt: at('09:06:00') })
  const item = { accountId: 'a1', deviceId: 'd', type: 'SMS', sender: '+1' }
  await shared.database.inboxItem.create({ data: { ...item, id: 'i1', createdAt: at('09:07:29') } })
  expect(busy(await statistics('?period=hour'))).toEqual([
    ['09:00', { accepted: 1 }],
    ['09:02', { accepted: 2, failed: 1, sent: 1, acceptToSentMs: { p50: 60_001, p95: 60_001 } }],
    ['09:05', { delivered: 1 }],
    ['09:06', { sent: 1, acceptToSentMs: { p50: 240_000, p95: 240_000 } }],
    ['09:07', { received: 1 }],
  ])
})

test('leaves out messages before the first bucket', async () => {
  await message({ state: 'Sent', createdAt: at('08:07:59.999'), sentAt: at('08:08:00') })
  expect(busy(await statistics('?period=hour'))).toEqual([['08:08', { sent: 1, acceptToSentMs: { p50: 1, p95: 1 } }]])
})

test('reports the median and 95th percentile of the time from due to sent', async () => {
  for (let second = 1; second <= 101; second += 1)
    await message({
      state: 'Sent',
      createdAt: new Date(at('09:05:00').getTime() - second * 1000),
      sentAt: at('09:05:00'),
    })
  await message({ state: 'Sent', createdAt: at('08:00:00'), scheduleAt: at('09:06:00'), sentAt: at('09:06:02') })
  // Simulates a device with a slow clock.
  await message({ state: 'Sent', createdAt: at('09:07:05'), sentAt: at('09:07:00') })
  const { buckets } = await statistics('?period=hour')
  expect(buckets.slice(-3).map(({ acceptToSentMs }) => acceptToSentMs)).toEqual([
    { p50: 51_000, p95: 96_000 },
    { p50: 2_000, p95: 2_000 },
    { p50: 0, p95: 0 },
  ])
})

test('counts only messages of the account', async () => {
  await message({ state: 'Sent', createdAt: at('09:05:00'), sentAt: at('09:05:00') })
  expect(busy(await statistics('?period=week', 'a2'))).toEqual([])
  expect(busy(await statistics('?period=week'))).not.toEqual([])
})

test('refuses an unknown period and lists the known periods', async () => {
  const { status, json } = await api.request('a1', 'GET', '/statistics?period=year')
  expect([status, (json as { message: string }).message]).toEqual([400, expect.stringContaining('hour, day, week')])
})
