import type { MessageState } from '@smsgw/contract/messages/message-states'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '../http/endpoint.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { listMessages } from './read-messages.ts'
import { callEndpoint } from './testing/call-endpoint.ts'

const START = Date.parse('2026-03-01T00:00:00.000Z')
const STATES = ['Pending', 'Sent', 'Delivered', 'Failed'] as const
const DEVICES = ['a', 'b', 'c'].map((letter) => letter.repeat(21))

/**
 * The messages in the order of creation. All messages of a group of seven have the same time, so that the time alone
 * does not determine the order.
 */
const all = Array.from({ length: 140 }, (_, index) => ({
  id: `m${index}`,
  createdAt: new Date(START + Math.floor(index / 7) * 1000),
  state: STATES[index % 4] as MessageState,
  /** Every eighth message also has a second recipient, which failed. */
  isPartlyFailed: index % 8 === 1,
  deviceId: DEVICES[index % 3] as string,
}))

const db = useTestDatabase()
let list: Endpoint

beforeAll(async () => {
  list = listMessages({ database: db.database })
  for (const id of ['account', 'other']) {
    await db.database.account.create({ data: { id, username: id, passwordHash: '' } })
    const rows = all.map((message) => ({ ...message, accountId: id, text: `text of ${message.id}` }))
    const stored = await db.database.message.createManyAndReturn({ data: rows })
    await db.database.recipient.createMany({
      data: stored.map(({ key, state, deviceId, createdAt, ...message }) => ({
        cmdId: `${id} ${message.id}`,
        messageKey: key,
        accountId: id,
        deviceId,
        position: 0,
        phoneNumber: '+4915112345678',
        state,
        dueAt: createdAt,
      })),
    })
    await db.database.recipient.createMany({
      data: stored.flatMap(({ key, deviceId, createdAt: dueAt, ...message }, index) => {
        const address = { deviceId, position: 1, phoneNumber: '+4915187654321', dueAt }
        const recipient = { cmdId: `${id} ${message.id} 2`, messageKey: key, accountId: id, ...address }
        return all[index]?.isPartlyFailed ? [{ ...recipient, state: 'Failed' as const }] : []
      }),
    })
  }
})

type Query = Readonly<Record<string, string>>

async function page(query: Query, url = `/3rdparty/v1/messages?${new URLSearchParams(query)}`) {
  const { status, body, headers } = await callEndpoint(list, { query, url })
  expect(status).toBe(200)
  const messages = body as unknown as readonly { id: string }[]
  return { messages, ids: messages.map(({ id }) => id), headers }
}

/** Reads all pages by following `Link`. */
async function followed(query: Query): Promise<string[]> {
  let { ids, headers } = await page(query)
  const found = [...ids]
  for (let next = linkOf(headers); next !== undefined; next = linkOf(headers)) {
    ;({ ids, headers } = await page(Object.fromEntries(new URL(next, 'http://relay').searchParams), next))
    expect(headers['X-Total-Count']).toBeUndefined()
    found.push(...ids)
  }
  return found
}

function linkOf(headers: Query): string | undefined {
  return /^<(.+)>; rel="next"$/.exec(headers['Link'] ?? '')?.[1]
}

const after10 = new Date(START + 10_000)
const before15 = new Date(START + 15_000)

const filters: [string, Query, (message: (typeof all)[number]) => boolean][] = [
  ['everything', {}, () => true],
  ['a state', { state: 'Sent' }, ({ state }) => state === 'Sent'],
  ['a device', { deviceId: 'b'.repeat(21) }, ({ deviceId }) => deviceId === 'b'.repeat(21)],
  [
    'a state of a device',
    { state: 'Failed', deviceId: 'c'.repeat(21) },
    ({ state, deviceId }) => state === 'Failed' && deviceId === 'c'.repeat(21),
  ],
  ['a beginning', { from: after10.toISOString() }, ({ createdAt }) => createdAt >= after10],
  ['an end', { to: before15.toISOString() }, ({ createdAt }) => createdAt < before15],
  [
    'all of them together',
    { from: after10.toISOString(), to: before15.toISOString(), state: 'Pending', deviceId: 'a'.repeat(21) },
    ({ createdAt, state, deviceId }) =>
      createdAt >= after10 && createdAt < before15 && state === 'Pending' && deviceId === 'a'.repeat(21),
  ],
  ['all of time', { from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59.999Z' }, () => true],
  ['nothing', { state: 'Cancelled' }, () => false],
  [
    'messages with a failed recipient',
    { hasFailed: 'true' },
    ({ state, isPartlyFailed }) => state === 'Failed' || isPartlyFailed,
  ],
  [
    'sent messages with a failed recipient',
    { hasFailed: 'true', state: 'Sent', from: after10.toISOString() },
    ({ state, isPartlyFailed, createdAt }) => state === 'Sent' && isPartlyFailed && createdAt >= after10,
  ],
  [
    'failed messages with a failed recipient',
    { hasFailed: 'true', state: 'Failed' },
    ({ state }) => state === 'Failed',
  ],
  [
    'messages of a device with a failed recipient',
    { hasFailed: 'true', deviceId: 'b'.repeat(21), to: before15.toISOString() },
    ({ state, isPartlyFailed, deviceId, createdAt }) =>
      (state === 'Failed' || isPartlyFailed) && deviceId === 'b'.repeat(21) && createdAt < before15,
  ],
]

describe.each(filters)('the list of %s', (_, query, belongs) => {
  const oldestFirst = all.filter(belongs).map(({ id }) => id)

  test.each([
    ['newest first', {}, oldestFirst.toReversed()],
    ['oldest first', { sort: 'created_at' }, oldestFirst],
  ])('a list of messages contains each message once when links are followed, %s', async (_order, sort, expected) => {
    expect(await followed({ ...query, ...sort, limit: '9' })).toEqual(expected)
  })

  test('a list of messages has the same pages by offset, with the exact total', async () => {
    const { ids, headers } = await page({ ...query, limit: '7', offset: '3' })
    expect(ids).toEqual(oldestFirst.toReversed().slice(3, 10))
    expect(headers['X-Total-Count']).toBe(String(oldestFirst.length))
  })
})

test('a list can start with a cursor, and then shows no total', async () => {
  const { ids, headers } = await page({ cursor: 'start', limit: '2' })
  expect(ids).toEqual(['m139', 'm138'])
  expect(headers['X-Total-Count']).toBeUndefined()
  expect(linkOf(headers)).toBeDefined()
})

test('shows content only on request', async () => {
  const [without] = (await page({ limit: '1' })).messages
  const [withContent] = (await page({ limit: '1', includeContent: 'true' })).messages
  expect(without).not.toHaveProperty('textMessage')
  expect(withContent).toEqual({ ...without, textMessage: { text: 'text of m139' } })
})

test('the list is empty for an unknown device', async () => {
  const { ids, headers } = await page({ deviceId: 'unknown' })
  expect([ids, headers['X-Total-Count']]).toEqual([[], '0'])
})

test('continues from a cursor outside the requested range', async () => {
  const last = await page({ limit: '6', to: new Date(START + 1_000).toISOString(), sort: 'created_at' })
  const cursor = new URL(linkOf(last.headers) ?? '', 'http://relay').searchParams.get('cursor') ?? ''
  const later = await page({ cursor, from: after10.toISOString(), sort: 'created_at', limit: '2' })
  expect(later.ids).toEqual(['m70', 'm71'])
  const earlier = await page({ cursor, to: new Date(START).toISOString() })
  expect(earlier.ids).toEqual([])
})

test.each<[string, Query]>([
  ['state', { state: 'sent' }],
  ['sort', { sort: 'id' }],
  ['cursor', { cursor: 'nonsense' }],
  ['from', { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' }],
])('refuses an invalid %s', async (path, query) => {
  const { status, body } = await callEndpoint(list, { query })
  expect(status).toBe(400)
  expect(body['errors']).toMatchObject([{ path }])
})
