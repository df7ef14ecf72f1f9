import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { Dice } from '../../fuzz/dice.ts'
import { route } from '../http/route.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../testing/test-endpoints.ts'
import { findConversations } from './find-conversations.ts'
import { listConversations } from './list-conversations.ts'
import { showConversation } from './show-conversation.ts'
import { CONVERSATION_SCOPES } from './visibility.ts'

const world = useTestDatabase()
let api: TestEndpoints
beforeAll(async () => {
  const deps = { ...world, rules: { defaultRegion: 'DE' } } as const
  api = await testEndpoints([
    route('GET', '/conversations', CONVERSATION_SCOPES, '', listConversations(deps)),
    route('GET', '/conversations/{number}', CONVERSATION_SCOPES, '', showConversation(deps)),
  ])
})
afterAll(() => api.close())
beforeEach(async () => {
  made = 0
  for (const id of ['a1', 'a2']) await world.database.account.create({ data: { id, username: id, passwordHash: '' } })
})
afterEach(() => world.database.account.deleteMany())

const DEVICE = 'Xk2Zt7vQ9sLrB4mNdP1aW'
const minute = (count: number) => new Date(Date.UTC(2026, 2, 1, 8, count))
let made = 0

interface Sent {
  readonly account?: string
  readonly state?: 'Pending' | 'Sent' | 'Failed'
  readonly more?: object
  readonly recipient?: object
}

async function send(to: string | readonly string[], at: number, text: string | null, what: Sent = {}): Promise<string> {
  const { account: accountId = 'a1', state = 'Sent', more = {}, recipient = {} } = what
  const id = `m${made++}`
  const recipients = [to].flat().map((phoneNumber, position) => {
    const cmdId = `${accountId}${id}.${position}`
    return { cmdId, accountId, deviceId: DEVICE, position, phoneNumber, state, dueAt: minute(at), ...recipient }
  })
  const common = { accountId, id, deviceId: DEVICE, state, createdAt: minute(at), text }
  await world.database.message.create({ data: { ...common, ...more, recipients: { create: recipients } } })
  return id
}

async function receive(sender: string, at: number, text: string | null, more: object = {}): Promise<string> {
  const id = `i${made++}`
  const common = { accountId: 'a1', id, deviceId: DEVICE, type: 'SMS', sender, createdAt: minute(at), text }
  await world.database.inboxItem.create({ data: { ...common, ...more } })
  return id
}

async function get(path: string, authorization = 'a1 all:any') {
  const { status, headers, json } = await api.request(authorization, 'GET', `/conversations${path}`)
  const next = /<[^>]*?(\?[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  const prev = /<[^<>]*?(\?[^>]*)>; rel="prev"/.exec(headers.get('link') ?? '')?.[1]
  return { status, json: json as ReturnType<typeof JSON.parse>, next, prev }
}
const numbers = async (query = '', authorization?: string) =>
  (await get(query, authorization)).json.map(({ number }: { number: string }) => number)
const ids = (entries: readonly { id: string }[]) => entries.map(({ id }) => id)

test('lists a conversation by its last message, in either direction', async () => {
  await send(['+3', '+2'], 0, 'to two')
  await send('+1', 1, 'first')
  await receive('+1', 2, 'answer')
  await receive('+2', 3, 'hello')
  await send('+2', 4, 'x'.repeat(500), { state: 'Failed' })
  expect((await get('')).json).toEqual([
    {
      number: '+2',
      lastAt: '2026-03-01T08:04:00.000Z',
      lastText: 'x'.repeat(160),
      lastDirection: 'out',
      lastState: 'Failed',
      lastMessageId: 'm4',
      ...{ unread: 1, labels: [], notes: 0 },
    },
    {
      number: '+1',
      lastAt: '2026-03-01T08:02:00.000Z',
      lastText: 'answer',
      lastDirection: 'in',
      lastMessageId: 'i2',
      ...{ unread: 1, labels: [], notes: 0 },
    },
    expect.objectContaining({ number: '+3', lastText: 'to two' }),
  ])
})

test('finds one conversation by every spelling of its number', async () => {
  await send('+4915112345678', 0, 'question')
  await receive('+4915112345678', 1, 'answer')
  for (const spelling of ['+4915112345678', '0151 12345678', '004915112345678', '4915112345678'])
    expect(ids((await get(`/${encodeURIComponent(spelling)}`)).json)).toEqual(['i1', 'm0'])
})

test('treats a number in the national spelling of the network as a separate conversation', async () => {
  await send('+4915112345678', 0, 'question')
  await receive('015112345678', 1, 'from the network')
  expect(ids((await get('/015112345678')).json)).toEqual(['i1'])
})

test.each([
  [
    'data: 3 octets for port 5000',
    () => receive('+1', 1, null, { type: 'DATA_SMS', data: new Uint8Array(3), port: 5000 }),
  ],
  ['data: 2 octets for port 7', () => send('+1', 1, null, { more: { data: new Uint8Array(2), port: 7 } })],
  [
    'MMS: Holiday',
    () =>
      receive('+1', 1, null, {
        type: 'MMS',
        mms: { transactionId: 'T', subject: 'Holiday', size: 1, contentClass: '' },
      }),
  ],
  ['MMS', () => receive('+1', 1, null, { type: 'MMS', mms: { transactionId: 'T', size: 1, contentClass: '' } })],
  ['encrypted message', () => receive('+1', 1, '$rsa…', { isEncrypted: true })],
  ['encrypted message', () => send('+1', 1, '$aes…', { more: { isEncrypted: true } })],
  ['content no longer kept', () => send('+1', 1, null, { more: { contentHash: 'ab' } })],
])('describes content that is not plain text: %s', async (expected, make) => {
  await make()
  expect((await get('')).json).toMatchObject([{ number: '+1', lastText: expected }])
  expect((await get('/+1')).json).toHaveLength(1)
})

test('shows nothing of another account', async () => {
  await send('+1', 1, 'theirs', { account: 'a2' })
  await send('+2', 1, 'ours')
  expect(await numbers()).toEqual(['+2'])
  expect(await numbers('?q=theirs')).toEqual([])
  expect((await get('/+1')).json).toEqual([])
})

test('requires a scope for each direction', async () => {
  await send('+1', 1, 'sent')
  await receive('+2', 2, 'received')
  expect(await numbers('', 'a1 messages:list')).toEqual(['+1'])
  expect(await numbers('', 'a1 inbox:list')).toEqual(['+2'])
  expect(await numbers('?q=e', 'a1 inbox:list')).toEqual(['+2'])
  expect((await get('/+1', 'a1 inbox:list')).json).toEqual([])
  expect((await get('/+2', 'a1 messages:list')).json).toEqual([])
  expect(await get('', 'a1 logs:read')).toMatchObject({
    status: 403,
    json: { message: 'scope required: messages:list or inbox:list' },
  })
})

test('a search finds part of a number in any notation, a sender, and texts of both directions', async () => {
  await send('+4915112345678', 1, 'Your PARCEL arrives')
  await receive('Vodafone', 2, 'Top up 100% now_')
  await receive('+33612345678', 3, 'ok')
  await send('+33612345678', 4, 'secret parcel', { more: { isEncrypted: true } })
  await receive('+33612345678', 3, 'secret parcel', { isEncrypted: true })
  expect(await numbers('?q=parcel')).toEqual(['+4915112345678'])
  expect(await numbers('?q=%2B49%20(151)%2012')).toEqual(['+4915112345678'])
  expect(await numbers('?q=12345')).toEqual(['+33612345678', '+4915112345678'])
  expect(await numbers('?q=VODA')).toEqual(['Vodafone'])
  expect(await numbers('?q=100%25')).toEqual(['Vodafone'])
  expect(await numbers('?q=now_')).toEqual(['Vodafone'])
  expect(await numbers('?q=nowhere')).toEqual([])
  expect(await numbers('?q=%20')).toHaveLength(3)
  const { json, next } = await get('?q=12345&limit=1')
  expect(json).toHaveLength(1)
  expect(await numbers(next)).toEqual(['+4915112345678'])
})

test('a conversation shows both directions, latest first, with their states', async () => {
  const scheduleAt = new Date('2027-01-01T00:00:00Z')
  await send(['+1', '+2'], 1, 'one', {
    more: { scheduleAt },
    recipient: { usedSimNumber: 2, partsCount: 3, error: 'no credit', errorCode: 'refused', state: 'Failed' },
  })
  await receive('+1', 2, 'two', { simNumber: 1 })
  await receive('+2', 3, 'another')
  const deviceId = DEVICE
  const item = { direction: 'in', id: 'i1', at: '2026-03-01T08:02:00.000Z', type: 'SMS', text: 'two', isUnread: true }
  expect((await get('/%2B1')).json).toEqual([
    { ...item, simNumber: 1, deviceId },
    {
      direction: 'out',
      id: 'm0',
      at: '2026-03-01T08:01:00.000Z',
      text: 'one',
      state: 'Failed',
      error: 'no credit',
      errorCode: 'refused',
      recipientsCount: 2,
      scheduleAt: scheduleAt.toISOString(),
      simNumber: 2,
      partsCount: 3,
      deviceId,
    },
  ])
  expect((await get('/+3')).json).toEqual([])
})

test('paging returns the whole conversation, even if the clocks of two relays differ', async () => {
  const expected = new Set<string>()
  for (let count = 0; count < 9; count++) {
    expected.add(await send('+1', count % 2 === 0 ? count : count + 10, 'out'))
    expected.add(await receive('+1', Math.floor(count / 3), 'in'))
  }
  const seen: string[] = []
  for (let query: string | undefined = '?limit=4'; query !== undefined; ) {
    const { json, next } = await get(`/+1${query}`)
    seen.push(...ids(json))
    query = next
  }
  expect(seen).toHaveLength(expected.size)
  expect(new Set(seen)).toEqual(expected)
})

test('a page around any message continues in both directions without a gap, even if clocks differ', async () => {
  for (let count = 0; count < 12; count++) {
    await send('+1', count % 2 === 0 ? count : count + 10, 'out')
    await receive('+1', Math.floor(count / 3), 'in')
  }
  const expected = ids((await get('/+1?limit=100')).json)
  expect(expected).toHaveLength(24)
  for (const around of expected) {
    const middle = await get(`/+1?limit=5&around=${around}`)
    expect(ids(middle.json)).toContain(around)
    const seen = ids(middle.json)
    for (let { next } = middle; next !== undefined; ) {
      const page = await get(`/+1${next}`)
      seen.push(...ids(page.json))
      next = page.next
    }
    for (let { prev } = middle; prev !== undefined; ) {
      const page = await get(`/+1${prev}`)
      seen.unshift(...ids(page.json))
      prev = page.prev
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.toSorted()).toEqual(expected.toSorted())
  }
})

test('a page around a message has newer messages, the message and older messages, latest first', async () => {
  for (let count = 0; count < 9; count++) await (count % 2 === 0 ? send('+1', count, 'a') : receive('+1', count, 'b'))
  const around = async (id: string, limit: number) => ids((await get(`/+1?limit=${limit}&around=${id}`)).json)
  expect(await around('m4', 5)).toEqual(['m6', 'i5', 'm4', 'i3', 'm2'])
  expect(await around('i5', 4)).toEqual(['i7', 'm6', 'i5', 'm4'])
  expect(await around('m8', 3)).toEqual(['m8', 'i7', 'm6'])
  expect(await around('m0', 1)).toEqual(['m0'])
  expect((await get('/+1?around=m0&limit=100')).prev).toBeUndefined()
})

test('a page around a message answers 404 if the message is in another conversation, or the caller may not see it', async () => {
  const other = await receive('+2', 1, 'other')
  const sent = await send('+1', 1, 'sent')
  for (const id of [other, 'unknown']) expect((await get(`/+1?around=${id}`)).status).toBe(404)
  expect((await get(`/+1?around=${sent}`, 'a1 inbox:list')).status).toBe(404)
  expect((await get(`/+1?around=${sent}`, 'a1 messages:list')).status).toBe(200)
})

test('a search names the latest message that contains the text, with the text in an excerpt', async () => {
  await send('+1', 1, 'a parcel')
  const long = `${'x'.repeat(100)} Your PARCEL is late ${'y'.repeat(200)}`
  const id = await receive('+1', 2, long)
  await receive('+1', 3, 'no match')
  await receive('+2', 4, 'İ İstanbul')
  const [found] = (await get('?q=parcel')).json
  expect(found).toMatchObject({ number: '+1', lastText: 'no match', match: { id, direction: 'in' } })
  const { excerpt, start, length } = found.match
  expect(excerpt.slice(start, start + length)).toBe('PARCEL')
  expect(long).toContain(excerpt)
  expect(excerpt).toHaveLength(160)
  expect((await get(`/+1?around=${id}&limit=1`)).json).toMatchObject([{ id }])
  expect((await get('?q=%2B1')).json[0]).not.toHaveProperty('match')
  expect((await get('?q=parcel', 'a1 messages:list')).json).toMatchObject([{ match: { direction: 'out', start: 2 } }])
})

test.each([
  'x',
  '',
  'MTIz',
  Buffer.from('1.').toString('base64url'),
  Buffer.from('999999999999999.+1').toString('base64url'),
])('refuses an invalid cursor: %s', async (cursor) => {
  for (const path of ['', '/+1']) {
    const { status, json } = await get(`${path}?cursor=${cursor}`)
    if (cursor !== '') expect([status, json.errors?.[0]?.path]).toEqual([400, 'cursor'])
  }
})

const SEARCH_LIMITS = {
  'as it is': undefined,
  'a few steps': { firstSteps: [3, 10], fewNumbers: 1_000, mostUnordered: 1_000, lastSteps: [] },
  'every number': { firstSteps: [], fewNumbers: 1_000, mostUnordered: 1_000, lastSteps: [] },
  'all the way back': { firstSteps: [1], fewNumbers: 2, mostUnordered: 1_000, lastSteps: [7, 1_000] },
}

test.each(Object.entries(SEARCH_LIMITS))(
  'pages are correct for each way of finding the conversations: %s',
  async (_, limits) => {
    const dice = new Dice(20_261_121)
    const latest = new Map<string, number>()
    for (let count = 0; count < 150; count++) {
      // Creates messages, most of them with one number, and some with equal times.
      const number = dice.once(2) ? '+1' : `+${2 + dice.below(40)}`
      const at = Math.floor(count / 3)
      if (dice.once(2)) await send(number, at, 'out', { state: dice.pick(['Pending', 'Sent', 'Failed']) })
      else await receive(number, at, 'in')
      latest.set(number, at)
    }
    const isArchived = (number: string) => Number(number) % 3 !== 0
    const archived = [...latest.keys()].filter(isArchived)
    await world.database.conversationState.createMany({
      data: archived.map((number) => ({ accountId: 'a1', number, archivedAt: minute(99) })),
    })
    const visibility = { accountId: 'a1', sent: true, received: true }
    const pages = async (filter: object) => {
      const found: { number: string; at: Date }[] = []
      for (let page: typeof found | undefined; page === undefined || page.length === 7; ) {
        const options = { before: found.at(-1), among: undefined, filter, take: 7 }
        page = await findConversations(world.database, visibility, options, limits)
        found.push(...page)
      }
      return found.map(({ number, at }) => [number, at])
    }
    const expected = [...latest].sort(([a, atA], [b, atB]) => atB - atA || (a < b ? 1 : -1))
    const all = expected.map(([number, at]) => [number, minute(at)] as const)
    expect(await pages({})).toEqual(all)
    expect(await pages({ folder: 'inbox' })).toEqual(all.filter(([number]) => !isArchived(number)))
    expect(await pages({ folder: 'archived' })).toEqual(all.filter(([number]) => isArchived(number)))
    expect(await pages({ folder: 'inbox', unread: false, assignee: 'nobody' })).toEqual([])
  },
)
