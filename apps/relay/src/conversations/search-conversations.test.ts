import { afterEach, beforeEach, expect, test } from 'vitest'
import { updateConversationOrder } from '../conversation-order/update-order.ts'
import { someoneWaits } from '../testing/someone-waits.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { ConversationSearch, type SearchPage, type SearchPlace } from './search-conversations.ts'

const everything = { accountId: 'a1', sent: true, received: true }
const common = { accountId: 'a1', deviceId: 'Xk2Zt7vQ9sLrB4mNdP1aW' }
const minute = (count: number) => new Date(Date.UTC(2026, 2, 1, 8, count))

const world = useTestDatabase()
beforeEach(async () => {
  await world.database.account.create({ data: { id: 'a1', username: 'a1', passwordHash: '' } })
  for (let at = 0; at < 6; at++) await receive(`+${at}`, at, `text ${at}`)
})
afterEach(async () => {
  await world.database.account.deleteMany()
})

test('searches newest messages first, reports how far back it searched, and continues there', async () => {
  const search = searchWith({ portions: [3], searchMs: 0 })
  const first = await search.find(everything, asked('text'))
  expect([numbersOf(first), first.since]).toEqual([['+5', '+4', '+3'], minute(3)])
  const second = await search.find(everything, asked('text', { place: first.next }))
  expect([numbersOf(second), second.since]).toEqual([['+2', '+1', '+0'], minute(0)])
  const last = await search.find(everything, asked('text', { place: second.next }))
  expect([numbersOf(last), last.since, last.next]).toEqual([[], null, undefined])
})

test('continues until the page is full or the time is over', async () => {
  const search = searchWith({ portions: [1], searchMs: 60_000 })
  expect(numbersOf(await search.find(everything, asked('text 0')))).toEqual(['+0'])
  const full = await search.find(everything, asked('text', { limit: 2 }))
  expect(numbersOf(full)).toEqual(['+5', '+4'])
  expect(numbersOf(await search.find(everything, asked('text', { limit: 2, place: full.next })))).toEqual(['+3', '+2'])
})

test('finds all messages of one millisecond, even if one portion holds fewer', async () => {
  const same = Array.from({ length: 7 }, (_, count) => `+9${count}`)
  for (const number of same) await receive(number, -3, 'at once')
  const search = searchWith({ portions: [2], searchMs: 60_000 })
  expect(numbersOf(await search.find(everything, asked('at once')))).toEqual(same.toReversed())
  const found: string[] = []
  for (let place: SearchPlace | undefined, count = 0; count === 0 || place !== undefined; count++) {
    const page = await search.find(everything, asked('at once', { limit: 2, place }))
    found.push(...numbersOf(page))
    place = page.next
  }
  expect(found).toEqual(same.toReversed())
})

test('reports no limit after searching everything', async () => {
  expect((await searchWith({ portions: [7] }).find(everything, asked('text'))).since).toBeNull()
  for (let at = 0; at < 6; at++)
    await world.database.message.create({
      data: { ...common, state: 'Sent', id: `m${at}`, createdAt: minute(at), text: 'sent' },
    })
  expect((await searchWith({ portions: [7] }).find(everything, asked('text'))).since).toBeNull()
  expect((await searchWith({ portions: [5], searchMs: 0 }).find(everything, asked('text'))).since).toEqual(minute(1))
})

test.each([false, true])(
  'finds conversations by number first, at any age (order of conversations up to date: %s)',
  async (isOrdered) => {
    await receive('+4915112345678', -5, 'long ago')
    await receive('+33123', -9, 'even longer ago')
    if (isOrdered) await updateConversationOrder(world.database)
    const search = searchWith({ portions: [1], searchMs: 0 })
    for (const part of ['1511 234', '01511 2345678', '0049 (1511) 2345678', '4915112345678'])
      expect(numbersOf(await search.find(everything, asked(part)))).toEqual(['+4915112345678'])
    await receive('+7', 7, 'number 123')
    const first = await search.find(everything, asked('123', { limit: 1 }))
    expect([numbersOf(first), first.messageIds.size]).toEqual([['+4915112345678'], 0])
    const second = await search.find(everything, asked('123', { limit: 2, place: first.next }))
    expect(numbersOf(second)).toEqual(['+33123', '+7'])
    expect(second.messageIds).toEqual(new Map([['+7', 'i+77']]))
  },
)

test('finds names of senders but no hashes of numbers', async () => {
  const recipient = { ...common, cmdId: 'c', position: 0, phoneNumber: '0f12ab', dueAt: minute(9) }
  const message = { ...common, id: 'm', createdAt: minute(9), contentHash: 'ab', recipients: { create: [recipient] } }
  await world.database.message.create({ data: message })
  await receive('Cab12', 10, 'hello')
  for (const part of ['ab', '12'])
    expect(numbersOf(await searchWith({}).find(everything, asked(part)))).toEqual(['Cab12'])
  expect(numbersOf(await searchWith({}).find({ ...everything, received: false }, asked('ab')))).toEqual([])
})

test('a search within a folder finds only its conversations, by number and by text', async () => {
  await world.database.conversationState.create({ data: { accountId: 'a1', number: '+3', archivedAt: minute(9) } })
  await world.database.conversationState.create({ data: { accountId: 'a1', number: '+4', archivedAt: minute(9) } })
  const search = searchWith({})
  const archived = { filter: { folder: 'archived' } } as const
  expect(numbersOf(await search.find(everything, asked('text', archived)))).toEqual(['+4', '+3'])
  expect(numbersOf(await search.find(everything, asked('+', archived)))).toEqual(['+4', '+3'])
  expect(numbersOf(await search.find(everything, asked('3', archived)))).toEqual(['+3'])
})

test('searches a smaller portion after a timeout', async () => {
  const release = await holdInbox()
  const looking = searchWith({ portions: [100, 2], statementMs: 3_000, searchMs: 0 }).find(everything, asked('text'))
  const first = await waiting()
  while ((await waiting()) === first);
  await release()
  const { since, ...page } = await looking
  expect(numbersOf(page)).toEqual(['+5', '+4'])
  expect(since).toEqual(minute(4))
})

test('gives up when the smallest search takes too long, and delays no other request', async () => {
  const release = await holdInbox()
  const search = searchWith({ portions: [100], statementMs: 1_000 })
  const all = Promise.allSettled(Array.from({ length: 4 }, () => search.find(everything, asked('text'))))
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
  const search = searchWith({ portions: [100], statementMs: 2_000 })
  const all = Promise.allSettled(Array.from({ length: 23 }, () => search.find(everything, asked('text'))))
  await someoneWaits(world.database, 2)
  await release()
  const refused = (await all).filter((result) => result.status === 'rejected')
  expect(refused.map(({ reason }) => reason.message)).toEqual([expect.stringContaining('Too many')])
})

function searchWith(limits: Partial<ConstructorParameters<typeof ConversationSearch>[2]>): ConversationSearch {
  const usual = { portions: [100], statementMs: 20_000, searchMs: 60_000 }
  return new ConversationSearch(world.database, { defaultRegion: 'DE' }, { ...usual, ...limits })
}

function asked(text: string, more: Partial<Parameters<ConversationSearch['find']>[1]> = {}) {
  return { text, filter: {}, place: undefined, limit: 50, ...more }
}

function numbersOf({ conversations }: Pick<SearchPage, 'conversations'>): string[] {
  return conversations.map(({ number }) => number)
}

async function receive(sender: string, at: number, text: string): Promise<void> {
  const item = { ...common, id: `i${sender}${at}`, type: 'SMS', sender, createdAt: minute(at), text }
  await world.database.inboxItem.create({ data: item })
}

/**
 * Blocks queries for texts of received messages until the lock is released. The phone numbers of sent messages stay
 * readable.
 */
async function holdInbox(): Promise<() => Promise<void>> {
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const over = world.database.$transaction(async (statements) => {
    await statements.$executeRaw`LOCK TABLE inbox`
    held.resolve()
    await release.promise
  })
  await held.promise
  return async () => {
    release.resolve()
    await over
  }
}

/** Waits until a transaction is blocked by a lock. Returns the start time of that transaction. */
async function waiting(): Promise<string> {
  for (;;) {
    const [found] = await world.database.$queryRaw<{ began: string }[]>`
      SELECT xact_start::text AS began FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%WITH sent AS MATERIALIZED%'`
    if (found !== undefined) return found.began
  }
}
