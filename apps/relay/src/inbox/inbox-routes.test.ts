import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { getAttachment } from '../attachments/send-attachment.ts'
import { route } from '../http/route.ts'
import type { Prisma } from '../store/generated/client.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../testing/test-endpoints.ts'
import { countReceived } from './count-received.ts'
import { inboxRetention } from './inbox-retention-statement.ts'
import { getInboxItem, listInbox } from './read-inbox.ts'

const shared = useTestDatabase()
let api: TestEndpoints
beforeAll(async () => {
  api = await testEndpoints([
    route('GET', '/inbox', 'inbox:list', '', listInbox({ ...shared, rules: { defaultRegion: 'DE' } })),
    route('GET', '/inbox/{id}', 'inbox:list', '', getInboxItem(shared)),
    route('GET', '/inbox/{id}/attachments/{partId}', 'inbox:read', '', getAttachment(shared)),
  ])
})
afterAll(() => api.close())
beforeEach(async () => {
  for (const id of ['a1', 'a2']) await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
})
afterEach(() => shared.database.account.deleteMany())

const DEVICE = 'Xk2Zt7vQ9sLrB4mNdP1aW'
const minute = (count: number) => new Date(Date.UTC(2026, 2, 1, 8, count))
async function store(...items: Partial<Prisma.InboxItemCreateManyInput>[]): Promise<void> {
  const defaults = { accountId: 'a1', deviceId: DEVICE, type: 'SMS', sender: '+1', createdAt: minute(0), text: 'hello' }
  const data = items.map((item, index) => ({ ...defaults, id: `i${index}`, ...item }))
  await shared.database.inboxItem.createMany({ data })
}
async function list(query = '', account = 'a1') {
  const { status, headers, json } = await api.request(account, 'GET', `/inbox${query}`)
  const next = /<[^>]*(\?[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  return { status, json: json as { id: string }[], next, total: headers.get('x-total-count') }
}
const ids = async (query: string) => (await list(query)).json.map(({ id }) => id)

test('an item of each kind shows its content and a preview, without unknown members', async () => {
  const mms = {
    transactionId: 'T1',
    subject: 'Holiday',
    size: 7,
    contentClass: '',
    expiresAt: '2026-03-04T15:46:11+07:00',
  }
  await store(
    { text: 'See you at 5', recipient: '+66812345678', simNumber: 2 },
    { type: 'DATA_SMS', text: null, data: new Uint8Array(70).fill(0xab), port: 53739 },
    { type: 'MMS', text: null, mms },
    { type: 'MMS', text: null, mms: { transactionId: 'T2', size: 0, contentClass: 'text' } },
  )
  const common = { sender: '+1', deviceId: DEVICE, createdAt: '2026-03-01T08:00:00.000Z', isEncrypted: false }
  expect((await list()).json).toEqual([
    { ...common, id: 'i3', type: 'MMS', contentPreview: '', transactionId: 'T2', size: 0, contentClass: 'text' },
    { ...common, id: 'i2', type: 'MMS', contentPreview: 'Holiday', ...mms, expiresAt: '2026-03-04T08:46:11.000Z' },
    {
      ...common,
      id: 'i1',
      type: 'DATA_SMS',
      contentPreview: 'ab'.repeat(64),
      data: Buffer.alloc(70, 0xab).toString('base64'),
      port: 53739,
    },
    {
      ...common,
      id: 'i0',
      type: 'SMS',
      recipient: '+66812345678',
      simNumber: 2,
      contentPreview: 'See you at 5',
      text: 'See you at 5',
    },
  ])
})

test('finds an item by its id, in its own account only', async () => {
  await store({ id: 'in:1' })
  const path = `/inbox/${encodeURIComponent('in:1')}`
  expect((await api.request('a1', 'GET', path)).json).toMatchObject({ id: 'in:1', text: 'hello' })
  expect((await api.request('a2', 'GET', path)).status).toBe(404)
  expect((await api.request('a1', 'GET', '/inbox/%00')).status).toBe(404)
  expect((await list('', 'a2')).json).toEqual([])
})

test('each filter works, alone and with the others', async () => {
  await store(
    { createdAt: minute(0) },
    { createdAt: minute(1), sender: '+2' },
    { createdAt: minute(2), type: 'MMS', mms: { transactionId: '', size: 0, contentClass: '' }, text: null },
    { createdAt: minute(3), deviceId: 'Yk2Zt7vQ9sLrB4mNdP1aW' },
  )
  expect(await ids('?type=MMS')).toEqual(['i2'])
  expect(await ids('?type=MMS_DOWNLOADED')).toEqual([])
  expect(await ids('?sender=%2B2')).toEqual(['i1'])
  expect(await ids(`?deviceId=${DEVICE}`)).toEqual(['i2', 'i1', 'i0'])
  expect(await ids('?deviceId=unknown')).toEqual([])
  expect(await ids('?from=2026-03-01T08:01:00Z&to=2026-03-01T08:03:00Z')).toEqual(['i2', 'i1'])
  expect(await ids('?from=2026-03-01T15:01:00+07:00')).toEqual(['i3', 'i2', 'i1'])
  expect(await ids('?type=SMS&sender=%2B1&to=2026-03-01T08:03:00Z')).toEqual(['i0'])
})

test('the sender filter accepts every spelling of a number', async () => {
  await store(
    { sender: '+4915112345678' },
    { sender: '015112345678' },
    { sender: 'MyBank' },
    { sender: '+12015550123' },
  )
  expect(await ids('?sender=%2B4915112345678')).toEqual(['i0'])
  expect(await ids('?sender=004915112345678')).toEqual(['i0'])
  expect(await ids('?sender=0151%2012345678')).toEqual(['i0'])
  // The spelling that the network reported also matches.
  expect(await ids('?sender=015112345678')).toEqual(['i1', 'i0'])
  expect(await ids('?sender=MyBank')).toEqual(['i2'])
  // A `+` that the client did not encode arrives as a space.
  expect(await ids('?sender=+12015550123')).toEqual(['i3'])
})

test.each([
  'type=sms',
  'limit=0',
  'limit=501',
  'offset=-1',
  'from=yesterday',
  'from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z',
  'cursor=invented',
  `cursor=${Buffer.from('999999999999999.1').toString('base64url')}`,
  `cursor=${Buffer.from('0.99999999999999999999').toString('base64url')}`,
])('refuses %s', async (query) => {
  expect((await list(`?${query}`)).status).toBe(400)
})

test('offset pages show the total, and each item is on one page', async () => {
  await store(...Array.from({ length: 5 }, (_, index) => ({ createdAt: minute(index) })))
  expect(await list('?limit=2')).toMatchObject({ json: [{ id: 'i4' }, { id: 'i3' }], total: '5' })
  expect(await list('?limit=2&offset=2')).toMatchObject({ json: [{ id: 'i2' }, { id: 'i1' }], total: '5' })
  expect(await list('?limit=2&offset=4')).toMatchObject({ json: [{ id: 'i0' }], total: '5', next: undefined })
  expect(await list('?limit=2&offset=9')).toMatchObject({ json: [], total: '5', next: undefined })
  expect(await list('?limit=500')).toMatchObject({ total: '5', next: undefined })
})

test('a page at a large offset begins with the item at this offset, also with filters and with equal times', async () => {
  await store(
    ...Array.from({ length: 1_300 }, (_, at) => ({
      createdAt: minute(at >> 2),
      ...(at % 2 === 0 && { sender: '+2' }),
      ...(at % 3 === 0 && { type: 'DATA_SMS' }),
    })),
  )
  const filters = ['', '&sender=%2B2', '&type=SMS', `&from=${minute(5).toISOString()}&to=${minute(300).toISOString()}`]
  for (const filter of filters) {
    let all: string[] = []
    for (let cursor: string | undefined = `?cursor=start&limit=500${filter}`; cursor !== undefined; ) {
      const { json, next }: Awaited<ReturnType<typeof list>> = await list(cursor)
      all = [...all, ...json.map(({ id }) => id)]
      cursor = next
    }
    for (const offset of [499, 500, 501, all.length - 3, all.length, all.length + 1])
      expect(await ids(`?limit=20&offset=${offset}${filter}`), filter).toEqual(all.slice(offset, offset + 20))
  }
})

test('received messages are counted one by one up to a limit, and a larger number is marked', async () => {
  await store({}, {}, { type: 'MMS' }, { accountId: 'a2' })
  const filter = { accountId: 'a1', from: minute(0) }
  expect(await countReceived(shared.database, filter, 2)).toEqual({ count: 2, isExact: false })
  expect(await countReceived(shared.database, filter, 3)).toEqual({ count: 3, isExact: true })
  expect(await countReceived(shared.database, { ...filter, type: 'SMS' }, 2)).toEqual({ count: 2, isExact: true })
  expect(await countReceived(shared.database, { ...filter, to: minute(0) }, 2)).toEqual({ count: 0, isExact: true })
})

test('cursor pages contain each item once, even if some items have the same time or new items arrive', async () => {
  await store(...Array.from({ length: 7 }, (_, index) => ({ createdAt: minute(Math.floor(index / 3)) })))
  const seen: string[] = []
  let page = await list('?limit=2&sender=%2B1')
  for (;;) {
    seen.push(...page.json.map(({ id }) => id))
    if (page.next === undefined) break
    await store({ id: `late${seen.length}`, createdAt: minute(100) })
    page = await list(page.next)
    expect(page.total).toBeNull()
  }
  expect(seen).toEqual(['i6', 'i5', 'i4', 'i3', 'i2', 'i1', 'i0'])
})

test('lists attachments only on request, in their order', async () => {
  await store({ type: 'MMS_DOWNLOADED', text: 'Look!' }, {})
  await attach('i0', { partId: 9, position: 0, name: 'cat.jpg', octets: new Uint8Array(7) })
  await attach('i0', { partId: 2 ** 40, position: 1, name: '', contentType: 'text/plain', octets: new Uint8Array(0) })
  const attachments = [
    { partId: 9, name: 'cat.jpg', size: 7, contentType: 'image/jpeg' },
    { partId: 2 ** 40, name: '', size: 0, contentType: 'text/plain' },
  ]
  expect((await list('?includeAttachments=true')).json).toMatchObject([
    { id: 'i1', attachments: [] },
    { id: 'i0', attachments },
  ])
  expect((await api.request('a1', 'GET', '/inbox/i0?includeAttachments=1')).json).toMatchObject({ attachments })
  for (const item of [...(await list()).json, (await api.request('a1', 'GET', '/inbox/i0')).json])
    expect(item).not.toHaveProperty('attachments')
})

test('a download has exactly the octets of the attachment, read in pieces', async () => {
  const octets = Uint8Array.from({ length: 1_000_001 }, (_, index) => index % 251)
  await store({ type: 'MMS_DOWNLOADED' })
  await attach('i0', { octets })
  await attach('i0', { partId: 2, octets: new Uint8Array(0) })
  const { status, headers, bytes } = await api.download('a1', '/inbox/i0/attachments/1')
  expect([status, bytes.equals(octets)]).toEqual([200, true])
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'content-length': '1000001',
    'content-disposition': `attachment; filename="cat.jpg"; filename*=UTF-8''cat.jpg`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  })
  expect((await api.download('a1', '/inbox/i0/attachments/2')).bytes).toHaveLength(0)
})

test.each([
  ['../../etc/passwd', 'passwd', 'passwd'],
  ['C:\\\\cat"\r\nX-Evil: 1;.jpg', 'cat___X-Evil_ 1_.jpg', 'cat%22%0D%0AX-Evil%3A%201%3B.jpg'],
  ["m\u00fcller's (1)*.jpg", 'm_ller_s (1)_.jpg', 'm%C3%BCller%27s%20%281%29%2a.jpg'],
  ['', 'attachment', 'attachment'],
])('the file name %j is sent as %s', async (name, ascii, encoded) => {
  await store({ type: 'MMS_DOWNLOADED' })
  await attach('i0', { name, contentType: 'text/html\r\nX-Evil: 1' })
  const { headers } = await api.download('a1', '/inbox/i0/attachments/1')
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`)
  expect(headers.get('content-type')).toBe('application/octet-stream')
})

test.each([
  'i0/attachments/2',
  'i0/attachments/x',
  `i0/attachments/${2n ** 63n}`,
  'i0/attachments/-1',
  'i9/attachments/1',
])('returns nothing at %s', async (path) => {
  await store({ type: 'MMS_DOWNLOADED' })
  await attach('i0', {})
  expect((await api.request('a1', 'GET', `/inbox/${path}`)).status).toBe(404)
  expect((await api.request('a2', 'GET', '/inbox/i0/attachments/1')).status).toBe(404)
})

test('attachments are deleted with their message', async () => {
  await store({ type: 'MMS_DOWNLOADED' })
  await attach('i0', {})
  await inboxRetention.deleteOlder(shared.database, 'a1', minute(1), 10)
  expect(await shared.database.inboxAttachment.count()).toBe(0)
})

async function attach(id: string, more: Partial<Prisma.InboxAttachmentUncheckedCreateInput>): Promise<void> {
  const { key: inboxKey } = await shared.database.inboxItem.findFirstOrThrow({ where: { id } })
  const octets = more.octets ?? new Uint8Array(3)
  const picture = { partId: 1, position: 0, name: 'cat.jpg', contentType: 'image/jpeg', size: octets.length }
  await shared.database.inboxAttachment.create({ data: { inboxKey, ...picture, octets, ...more } })
}
