import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countReceived, type ReceivedFilter } from '../inbox/count-received.ts'
import { updateMessageCounts } from '../messages/counts/update-message-counts.ts'
import { countHistory, type HistoryFilter, readHistory } from '../messages/read-history-statement.ts'
import { connectDatabase, type Database, type Statements } from '../store/database.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { countDeliveries, type WebhookDeliveryFilter } from '../webhooks/api/count-deliveries.ts'
import { readDeliveries } from '../webhooks/api/read-deliveries-statement.ts'
import { MOST_CHECKED_ROWS, MOST_COUNTED_ROWS } from './page.ts'

/** The number of rows of each list of the account `a1`. Each of the other accounts has a tenth of them. */
const ROWS = 20_000
const OTHERS = ['a2', 'a3', 'a4', 'a5']
/** The messages of the other accounts are the newest messages, which are not in the stored counts. */
const UNCOUNTED = OTHERS.length * (ROWS / 10)
const world = useTestDatabase()
let other: Database
let webhookKey: bigint

/** The rows are a second apart, on one day. */
const NEWEST = '2026-03-01T12:00:00Z'
const from = new Date('2026-03-01T06:30:00Z')
const to = new Date('2026-03-01T11:59:00Z')

beforeAll(async () => {
  other = connectDatabase({ url: world.url, connections: 1 })
  const { database } = world
  for (const id of ['a1', ...OTHERS]) await database.account.create({ data: { id, username: id, passwordHash: '' } })
  const key = { name: '', scopes: [], secretHash: '', createdAt: from }
  const keys = ['a1', ...OTHERS].flatMap((accountId) =>
    ['k1', 'k2'].map((id) => ({ ...key, id: accountId + id, accountId })),
  )
  await database.apiKey.createMany({ data: keys })
  const webhook = { accountId: 'a1', id: 'w1', event: 'sms:sent', url: '', secretSealed: '' }
  webhookKey = (await database.webhook.create({ data: webhook })).key
  for (const account of ['a1', ...OTHERS]) await store(account, account === 'a1' ? ROWS : ROWS / 10)
  while ((await database.messageCountProgress.findFirst())?.countedKey !== BigInt(ROWS))
    await updateMessageCounts(database, { newest: UNCOUNTED })
  await database.$executeRaw`ANALYZE`
})
afterAll(() => other.$disconnect())

/**
 * Most messages are sent with the password to one device. Every eighth message of `a1` has failed. Of other messages, a
 * second recipient has failed. The other accounts have few failures.
 */
async function store(account: string, rows: number): Promise<void> {
  const { database } = world
  const apart = account === 'a1' ? 1 : 50
  await database.$executeRaw`
    INSERT INTO messages (account_id, id, device_id, created_at, state, sent_by, sent_by_key_id, approval, is_partly_failed)
    SELECT ${account}, 'm' || n, CASE WHEN n % 7 = 0 THEN 'd2' ELSE 'd1' END,
      ${NEWEST}::timestamptz - n * interval '1 s',
      (CASE WHEN n % (8 * ${apart}::int) = 0 THEN 'Failed' ELSE 'Delivered' END)::message_state,
      CASE WHEN n % 5000 = 0 THEN 'session' WHEN n % 3 = 0 THEN 'key' ELSE 'password' END,
      CASE WHEN n % 5000 > 0 AND n % 3 = 0 THEN ${account} || 'k' || (1 + n % 2) END,
      CASE WHEN n % 5000 = 1 THEN 'refused' END, CASE WHEN n % (11 * ${apart}::int) = 1 THEN true END
    FROM generate_series(1, ${rows}::int) n`
  await database.$executeRaw`
    INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, state, due_at)
    SELECT key || '/' || position, key, account_id, device_id, position, '+4915112345678',
      CASE WHEN position = 1 THEN 'Failed' ELSE state END, created_at
    FROM messages, generate_series(0, CASE WHEN is_partly_failed THEN 1 ELSE 0 END) position
    WHERE account_id = ${account} AND (account_id = 'a1' OR state = 'Failed' OR is_partly_failed)`
  await database.$executeRaw`
    INSERT INTO inbox (account_id, id, device_id, type, sender, created_at, stored_at)
    SELECT ${account}, 'i' || n, 'd1', 'SMS', CASE WHEN n % 2 = 0 THEN '+1' ELSE '+2' END, at, at
    FROM generate_series(1, ${rows}::int) n, LATERAL (
      SELECT ${NEWEST}::timestamptz - n * interval '1 s' AS at) AS created`
  if (account !== 'a1') return
  await database.$executeRaw`
    INSERT INTO webhook_deliveries (webhook_key, account_id, id, device_id, event, payload, created_at, state)
    SELECT ${webhookKey}, 'a1', 'e' || n, 'd', 'sms:sent', '{}', ${NEWEST}::timestamptz - n * interval '1 s',
      CASE WHEN n % 2 = 0 THEN 'failed' ELSE 'delivered' END
    FROM generate_series(1, ${rows}::int) n`
}

const part = { after: undefined, skip: 0, take: 51 }
describe.each<readonly [string, (statements: Statements) => Promise<readonly unknown[]>]>([
  ['messages', (s: Statements) => readHistory(s, { accountId: 'a1' }, 'DESC', part)],
  ['deliveries', (s: Statements) => readDeliveries(s, { webhookKey, states: ['delivered', 'waiting'] }, part)],
])('a page of %s', (table, read) => {
  test('is planned only for its first uses', async () => {
    for (let time = 0; time < 8; time += 1) expect(await read(other)).toHaveLength(51)
    const plans = await other.$queryRaw<{ custom: number; generic: number }[]>`
      SELECT custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements
      WHERE statement LIKE '%AS planned%' AND statement LIKE ${`%${table} %`}`
    expect(plans).toEqual([{ custom: 5, generic: 3 }])
  })

  test('reads few rows with the plan for any limit', async () => {
    const { result, rows } = await rowsOf(read)
    expect(result).toHaveLength(51)
    expect(rows).toBeLessThan(ROWS / 20)
  })
})

const ofMessages: readonly Omit<HistoryFilter, 'accountId'>[] = [
  { from, to },
  { from, to, deviceId: 'd1' },
  { from, to, state: 'Delivered' },
  { from, to, state: 'Delivered', deviceId: 'd1' },
  { sentBy: 'password' },
  { sentBy: 'password', from, to },
  { sentBy: 'password', state: 'Delivered' },
  { sentBy: 'password', deviceId: 'd1' },
  { sentBy: 'session' },
  { sentBy: 'session', state: 'Delivered' },
  { sentBy: 'session', deviceId: 'd1', from, to },
  { sentBy: 'token' },
  { sentBy: 'key' },
  { sentBy: 'key', from, to },
  { sentBy: 'a1k1' },
  { sentBy: 'a1k1', state: 'Delivered' },
  { sentBy: 'a1k1', deviceId: 'd2', from, to },
  { approval: 'refused' },
  { approval: 'refused', state: 'Delivered', from, to },
  { approval: 'pending' },
  { hasFailed: true },
  { hasFailed: true, from, to },
  { hasFailed: true, state: 'Failed' },
  { hasFailed: true, state: 'Delivered', from, to },
  { hasFailed: true, deviceId: 'd2' },
  { hasFailed: true, deviceId: 'd2', sentBy: 'password' },
  { hasFailed: true, sentBy: 'session' },
  { hasFailed: true, sentBy: 'key', from, to },
  { hasFailed: true, sentBy: 'a1k1', state: 'Delivered' },
  { hasFailed: true, approval: 'refused' },
]
/** Enough for a limited number of rows and other tables. */
const FEW = MOST_COUNTED_ROWS * 3

describe.each(ofMessages)('messages with the filter %o', (given) => {
  test.each(['a1', 'a2'])('are counted with the plan for any filter, and few rows are read: %s', async (accountId) => {
    const { result, rows } = await rowsOf((s) => countHistory(s, { accountId, ...given }))
    const usesCounts = given.hasFailed === true && given.from === undefined
    const few = given.hasFailed === true ? MOST_CHECKED_ROWS * 3 : FEW
    expect(rows).toBeLessThan(usesCounts ? UNCOUNTED + few / 2 : few)
    const matching = await matchesOf(accountId, given)
    expect(result.count).toBeLessThanOrEqual(matching)
    if (result.isExact) expect(result.count).toBe(matching)
    else expect(result.count).toBeGreaterThan(0)
  })

  test.each(['a1', 'a2'])('are listed with the plan for any filter, and few rows are read: %s', async (accountId) => {
    const { result, rows } = await rowsOf((s) => readHistory(s, { accountId, ...given }, 'DESC', part))
    expect(result).toHaveLength(Math.min(51, await matchesOf(accountId, given)))
    expect(rows).toBeLessThan(FEW)
  })
})

test.each<Omit<ReceivedFilter, 'accountId'>>([
  { from, to },
  { from, to, type: 'SMS' },
  { from, to, deviceId: 'd1' },
  { from, to, deviceId: 'd1', type: 'MMS' },
  { senders: ['+1', '+2'] },
  { senders: ['+1', '+2'], type: 'MMS', from, to },
])('received messages with the filter %o are counted, and few rows are read', async (filter) => {
  const { result, rows } = await rowsOf((s) => countReceived(s, { accountId: 'a1', ...filter }))
  expect(rows).toBeLessThan(2 * FEW)
  expect(result.isExact).toBe(false)
})

test.each<Omit<WebhookDeliveryFilter, 'webhookKey'>>([
  { states: ['delivered', 'failed', 'waiting'], from, to },
  { states: ['failed'], from },
])('deliveries with the filter %o are counted, and few rows are read', async (filter) => {
  const { result, rows } = await rowsOf((s) => countDeliveries(s, { webhookKey, ...filter }))
  expect(rows).toBeLessThan(FEW)
  expect(result).toEqual({ count: MOST_COUNTED_ROWS, isExact: false })
})

/** Counts the messages of a filter in the simplest way. */
async function matchesOf(accountId: string, filter: Omit<HistoryFilter, 'accountId'>): Promise<number> {
  const { state, deviceId, approval, sentBy, hasFailed } = filter
  return await world.database.message.count({
    where: {
      accountId,
      ...(state && { state }),
      ...(deviceId !== undefined && { deviceId }),
      ...(approval && { approval }),
      ...(sentBy !== undefined && { OR: [{ sentBy }, { sentByKeyId: sentBy }] }),
      ...(hasFailed === true && { recipients: { some: { state: 'Failed' } } }),
      createdAt: { ...(filter.from && { gte: filter.from }), ...(filter.to && { lt: filter.to }) },
    },
  })
}

/** Returns the number of index entries and, in sequential scans, of rows that a statement with a generic plan reads. */
async function rowsOf<Result>(read: (statements: Statements) => Promise<Result>) {
  return await other.$transaction(async (statements) => {
    await statements.$executeRaw`SET LOCAL plan_cache_mode = force_generic_plan`
    const before = await rowsRead(statements)
    const result = await read(statements)
    return { result, rows: (await rowsRead(statements)) - before }
  })
}

async function rowsRead(statements: Statements): Promise<number> {
  const [read] = await statements.$queryRaw<{ count: number }[]>`
    SELECT sum(pg_stat_get_xact_tuples_returned(oid))::int AS count
    FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace`
  return read?.count ?? 0
}
