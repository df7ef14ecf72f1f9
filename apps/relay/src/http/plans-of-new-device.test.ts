import { beforeAll, expect, test } from 'vitest'
import { updateMessageCounts } from '../messages/counts/update-message-counts.ts'
import { countHistory, type HistoryFilter, readHistory } from '../messages/read-history-statement.ts'
import type { Statements } from '../store/database.ts'
import { useTestDatabase } from '../testing/test-database.ts'

const ROWS = 20_000
const world = useTestDatabase()

/** All messages are from one device, so the statistics contain only this device. */
beforeAll(async () => {
  const { database } = world
  await database.account.create({ data: { id: 'a1', username: 'a1', passwordHash: '' } })
  await database.$executeRaw`
    INSERT INTO messages (account_id, id, device_id, created_at, state, sent_by)
    SELECT 'a1', 'm' || n, 'd1', now() - n * interval '1 s', 'Delivered', 'password' FROM generate_series(1, ${ROWS}::int) n`
  await database.$executeRaw`VACUUM ANALYZE messages`
  while ((await database.messageCountProgress.findFirst())?.countedKey !== BigInt(ROWS))
    await updateMessageCounts(database, { newest: 0 })
})

test.each<Omit<HistoryFilter, 'accountId'>>([
  {},
  { state: 'Delivered' },
  { sentBy: 'password' },
  { sentBy: 'password', state: 'Delivered' },
  { sentBy: 'password', from: new Date('2026-01-01') },
])('a page of a device without messages reads few rows: %o', async (given) => {
  const filter = { accountId: 'a1', deviceId: 'd2', ...given }
  const rows = await world.database.$transaction(async (statements) => {
    await statements.$executeRaw`SET LOCAL plan_cache_mode = force_generic_plan`
    const before = await rowsRead(statements)
    expect(await readHistory(statements, filter, 'DESC', { after: undefined, skip: 0, take: 51 })).toEqual([])
    expect((await countHistory(statements, filter)).count).toBe(0)
    return (await rowsRead(statements)) - before
  })
  // The keys of the sender are counted up to 2 000 twice.
  expect(rows).toBeLessThan(ROWS / 2)
})

/** Counts index entries, and rows that are fetched for a filter. */
async function rowsRead(statements: Statements): Promise<number> {
  const [read] = await statements.$queryRaw<{ count: number }[]>`
    SELECT sum(pg_stat_get_xact_tuples_returned(oid))::int AS count
    FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace`
  return read?.count ?? 0
}
