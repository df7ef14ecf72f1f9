import { afterEach, beforeEach, expect, test } from 'vitest'
import { someoneWaits } from '../testing/someone-waits.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { ConversationSearch } from './search-conversations.ts'

const everything = { accountId: 'a1', sent: true, received: true }
const minute = (count: number) => new Date(Date.UTC(2026, 2, 1, 8, count))

const world = useTestDatabase()
beforeEach(async () => {
  await world.database.account.create({ data: { id: 'a1', username: 'a1', passwordHash: '' } })
  for (let at = 0; at < 6; at++) await receive(`+${at}`, at, `text ${at}`)
})
afterEach(async () => {
  await world.database.account.deleteMany()
})

test('searches to its depth limit and reports how far back it searched', async () => {
  const search = searchWith({ depths: [3] })
  expect(await search.find(everything, 'text 3')).toMatchObject({ numbers: expect.arrayContaining(['+3']) })
  const { numbers, since } = await search.find(everything, 'text 2')
  expect(numbers).not.toContain('+2')
  expect(since).toEqual(minute(2))
})

test('reports no limit after searching everything', async () => {
  expect((await searchWith({ depths: [6] }).find(everything, 'text')).since).toBeNull()
  const common = { accountId: 'a1', deviceId: 'Xk2Zt7vQ9sLrB4mNdP1aW', state: 'Sent' } as const
  for (let at = 0; at < 6; at++)
    await world.database.message.create({ data: { ...common, id: `m${at}`, createdAt: minute(at), text: 'sent' } })
  expect((await searchWith({ depths: [6] }).find(everything, 'text')).since).toBeNull()
  expect((await searchWith({ depths: [5] }).find(everything, 'text')).since).toEqual(minute(0))
})

test('finds a whole number of any age, and part of a number when there are few', async () => {
  const many = searchWith({ depths: [1], fewNumbers: 3 })
  expect((await many.find(everything, '+4')).numbers).toContain('+4')
  await receive('+4915112345678', -5, 'long ago')
  expect((await searchWith({ depths: [1] }).find(everything, '1511 234')).numbers).toContain('+4915112345678')
})

test.each(['01511 2345678', '0049 (1511) 2345678', '4915112345678'])(
  'finds the number written as %s with the default region DE',
  async (written) => {
    await receive('+4915112345678', -5, 'long ago')
    const { numbers } = await searchWith({ depths: [1], fewNumbers: 3 }).find(everything, written)
    expect(numbers).toContain('+4915112345678')
  },
)

test('searches less far back after a timeout, and reports how far', async () => {
  const release = await holdInbox()
  const looking = searchWith({ depths: [100, 2], statementMs: 200 }).find(everything, 'text')
  const first = await waiting()
  while ((await waiting()) === first);
  await release()
  const { numbers, since } = await looking
  expect([numbers.includes('+5'), numbers.includes('+3')]).toEqual([true, false])
  expect(since).toEqual(minute(3))
})

test('gives up when the smallest search takes too long, and delays no other request', async () => {
  const release = await holdInbox()
  const search = searchWith({ depths: [100], statementMs: 200 })
  const all = Promise.allSettled(Array.from({ length: 4 }, () => search.find(everything, 'text')))
  await someoneWaits(world.database, 2)
  // Two of the five connections run searches, and a third connection holds the lock of the table.
  const waitingNow = await world.database.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  expect(waitingNow).toEqual([{ count: 2n }])
  const results = await all
  expect(results.map((result) => result.status === 'rejected' && result.reason.status)).toEqual([503, 503, 503, 503])
  await release()
})

test('refuses a search when too many are waiting', async () => {
  const release = await holdInbox()
  const search = searchWith({ depths: [100], statementMs: 2_000 })
  const all = Promise.allSettled(Array.from({ length: 23 }, () => search.find(everything, 'text')))
  await someoneWaits(world.database, 2)
  await release()
  const refused = (await all).filter((result) => result.status === 'rejected')
  expect(refused.map(({ reason }) => reason.message)).toEqual([expect.stringContaining('Too many')])
})

function searchWith(limits: Partial<ConstructorParameters<typeof ConversationSearch>[2]>): ConversationSearch {
  const usual = { depths: [100], statementMs: 20_000, fewNumbers: 1_000 }
  return new ConversationSearch(world.database, { defaultRegion: 'DE' }, { ...usual, ...limits })
}

async function receive(sender: string, at: number, text: string): Promise<void> {
  const common = { accountId: 'a1', id: `i${at}`, deviceId: 'Xk2Zt7vQ9sLrB4mNdP1aW', type: 'SMS' }
  await world.database.inboxItem.create({ data: { ...common, sender, createdAt: minute(at), text } })
}

/** Blocks queries for message texts until it is released. The phone numbers of sent messages stay readable. */
async function holdInbox(): Promise<() => Promise<void>> {
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const over = world.database.$transaction(
    async (statements) => {
      await statements.$executeRaw`LOCK TABLE inbox`
      held.resolve()
      await release.promise
    },
    { timeout: 30_000 },
  )
  await held.promise
  return async () => {
    release.resolve()
    await over
  }
}

/** Waits until a transaction waits for a lock, and returns the start time of this transaction. */
async function waiting(): Promise<string> {
  for (;;) {
    const [found] = await world.database.$queryRaw<{ began: string }[]>`
      SELECT xact_start::text AS began FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%late%'`
    if (found !== undefined) return found.began
  }
}
