import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readHistory } from '../messages/read-history-statement.ts'
import { connectDatabase, type Database, type Statements } from '../store/database.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { readDeliveries } from '../webhooks/api/read-deliveries-statement.ts'

const ROWS = 20_000
const world = useTestDatabase()
let other: Database
let webhookKey: bigint

beforeAll(async () => {
  other = connectDatabase({ url: world.url, connections: 1 })
  const { database } = world
  await database.account.create({ data: { id: 'a1', username: 'a1', passwordHash: '' } })
  const webhook = { accountId: 'a1', id: 'w1', event: 'sms:sent', url: '', secretSealed: '' }
  webhookKey = (await database.webhook.create({ data: webhook })).key
  await database.$executeRaw`
    INSERT INTO messages (account_id, id, device_id, created_at, state)
    SELECT 'a1', 'm' || n, 'd', now() - n * interval '1 s', 'Delivered' FROM generate_series(1, ${ROWS}::int) n`
  await database.$executeRaw`
    INSERT INTO webhook_deliveries (webhook_key, account_id, id, device_id, event, payload, created_at, state)
    SELECT ${webhookKey}, 'a1', 'e' || n, 'd', 'sms:sent', '{}', now() - n * interval '1 s', 'delivered'
    FROM generate_series(1, ${ROWS}::int) n`
  await database.$executeRaw`ANALYZE`
})
afterAll(() => other.$disconnect())

const part = { after: undefined, skip: 0, take: 51 }
describe.each([
  ['messages', (s: Statements) => readHistory(s, { accountId: 'a1' }, 'DESC', part)],
  ['deliveries', (s: Statements) => readDeliveries(s, { webhookKey, states: ['delivered', 'waiting'] }, part)],
] as const)('a page of %s', (table, read) => {
  test('is planned only for its first uses', async () => {
    for (let time = 0; time < 8; time += 1) expect(await read(other)).toHaveLength(51)
    const plans = await other.$queryRaw<{ custom: number; generic: number }[]>`
      SELECT custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements
      WHERE statement LIKE '%AS planned%' AND statement LIKE ${`%${table} %`}`
    expect(plans).toEqual([{ custom: 5, generic: 3 }])
  })

  test('reads few rows with the plan for any limit', async () => {
    const rows = await other.$transaction(async (statements) => {
      await statements.$executeRaw`SET LOCAL plan_cache_mode = force_generic_plan`
      const before = await rowsRead(statements)
      expect(await read(statements)).toHaveLength(51)
      return (await rowsRead(statements)) - before
    })
    expect(rows).toBeLessThan(ROWS / 10)
  })
})

/** Counts the rows and index entries that the transaction has read so far. */
async function rowsRead(statements: Statements): Promise<number> {
  const [read] = await statements.$queryRaw<{ count: number }[]>`
    SELECT sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::int AS count
    FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace`
  return read?.count ?? 0
}
