// Two accounts in one database. Neither can see, change or detect the data of the other.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, systemRandom } from '../random.ts'
import type { Called } from '../testing/call-url.ts'
import { type TestAccount, type TestRelay, testRelay } from '../testing/test-relay.ts'

let relay: TestRelay
let stranger: TestAccount
let owned: Owned

beforeAll(async () => {
  relay = await testRelay()
  stranger = await relay.addAccount()
  owned = await fillAccount()
})
afterAll(() => relay.close())

const asStranger = (method: string, path: string, body?: unknown) =>
  relay.api(method, path, { auth: stranger.basic, ...(body !== undefined && { body }) })
const range = { since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' }

const OF_ONE_ID = [
  ['GET', () => `/messages/${owned.message}`, 404],
  ['GET', () => `/messages/${owned.message}/timeline`, 404],
  ['GET', () => `/messages/${owned.message}/attachments/1`, 404],
  ['DELETE', () => `/messages/${owned.message}`, 404],
  ['POST', () => `/messages/${owned.message}/approve`, 404],
  ['POST', () => `/messages/${owned.message}/refuse`, 404],
  ['GET', () => `/inbox/${owned.inbox}`, 404],
  ['GET', () => `/inbox/${owned.inbox}/attachments/1`, 404],
  ['DELETE', () => `/push/subscriptions/${owned.push}`, 204],
  ['POST', () => `/push/subscriptions/${owned.push}/test`, 404],
  ['PATCH', () => `/labels/${owned.label}`, 404],
  ['DELETE', () => `/labels/${owned.label}`, 404],
  ['DELETE', () => `/conversations/+12025550124/notes/${owned.note}`, 404],
  ['GET', () => `/devices/${owned.device}`, 404],
  ['GET', () => `/devices/${owned.device}/telemetry`, 404],
  ['PATCH', () => `/devices/${owned.device}`, 404],
  ['DELETE', () => `/devices/${owned.device}`, 404],
  ['POST', () => `/devices/${owned.device}/findings`, 404],
  ['POST', () => `/devices/${owned.device}/ussd`, 404],
  ['POST', () => `/devices/${owned.device}/pin`, 404],
  ['POST', () => `/devices/${owned.device}/restart-modem`, 404],
  ['PATCH', () => `/webhooks/${owned.webhook}`, 404],
  ['DELETE', () => `/webhooks/${owned.webhook}`, 204],
  ['GET', () => `/webhooks/${owned.webhook}/deliveries`, 404],
  ['POST', () => `/webhooks/${owned.webhook}/test`, 404],
  ['POST', () => `/webhooks/${owned.webhook}/secret`, 404],
  ['POST', () => `/webhooks/${owned.webhook}/redeliver`, 404],
  ['GET', () => `/webhooks/deliveries/${owned.delivery}`, 404],
  ['POST', () => `/webhooks/deliveries/${owned.delivery}/redeliver`, 404],
  ['DELETE', () => `/auth/token/${owned.token.id}`, 204],
  ['GET', () => `/keys/${owned.key.id}`, 404],
  ['PATCH', () => `/keys/${owned.key.id}`, 404],
  ['POST', () => `/keys/${owned.key.id}/rotate`, 404],
  ['DELETE', () => `/keys/${owned.key.id}`, 404],
] as const

/** Ids of keys have 12 characters; all other ids have 21. */
const ID = /(?<=\/)(?:[\w-]{21}|(?<=\/keys\/)\w{12})(?=\/|$)/

/** Returns a body that is valid for the path. Requests for API keys refuse unknown members. */
function bodyFor(path: string): object {
  if (path.endsWith('/rotate')) return {}
  if (path.startsWith('/keys/')) return { name: 'x' }
  return { name: 'x', simNumber: 1, pin: '1234', code: '*100#', from: range.since, to: range.until, ...range }
}

test.each(OF_ONE_ID)(
  '%s with the id of another account is answered like an unknown id (%s → %i)',
  async (method, path, status) => {
    const before = await everything()
    const body = /^P/.test(method) ? bodyFor(path()) : undefined
    const foreign = await asStranger(method, path(), body)
    const unknown = await asStranger(
      method,
      path().replace(ID, (id) => newId(systemRandom).replace(/\W/g, '0').slice(0, id.length)),
      body,
    )
    expect(foreign.status).toBe(status)
    expect({ ...foreign.json, requestId: '' }).toEqual({ ...unknown.json, requestId: '' })
    expect(await everything()).toEqual(before)
  },
)

test('this file tests every route with an id', async () => {
  const { paths } = (await relay.request('GET', '/openapi.json')).json as { paths: Record<string, object> }
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => /^(?:get|post|put|patch|delete)$/.test(method) && path.includes('{'))
      .map((method) => `${method.toUpperCase()} ${path.replace('/3rdparty/v1', '').replace(/\{\w+\}/g, '{id}')}`),
  )
  const tried = OF_ONE_ID.map(
    ([method, path]) =>
      `${method} ${path()
        .replace(/\+\d+|(?<=attachments\/)1/, '{id}')
        .replace(ID, '{id}')}`,
  )
  // Skips two kinds of paths: conversations are identified by phone numbers, and the files of the API reference do not
  // belong to an account.
  const ofNumbers = ['GET {}', 'PATCH {}', 'GET {}/details', 'POST {}/notes']
  expect(described.sort()).toEqual(
    [...tried, ...ofNumbers.map((name) => name.replace('{}', '/conversations/{id}')), 'GET /docs/{id}'].sort(),
  )
})

const LISTS = [
  ...[
    '/messages',
    '/inbox',
    '/devices',
    '/webhooks',
    '/conversations',
    '/tokens',
    '/labels',
    '/assignees',
    '/keys',
    '/push/subscriptions',
  ],
] as const
test.each(LISTS)('%s shows no data of another account', async (path) => {
  const own = await relay.api('GET', path)
  expect(own.json).not.toHaveLength(0)
  const foreign = await asStranger('GET', path)
  expect(foreign.json).toEqual([])
  const total = foreign.headers.get('x-total-count')
  expect(total).toBe(own.headers.has('x-total-count') ? '0' : null)
})

test.each(['/messages', '/inbox'])('%s filtered by a device of another account is empty', async (path) => {
  expect((await asStranger('GET', `${path}?deviceId=${owned.device}`)).json).toEqual([])
})

test('a conversation contains only messages of the account', async () => {
  for (const number of ['+12025550123', '+12025550124']) {
    const path = `/conversations/${encodeURIComponent(number)}`
    expect((await relay.api('GET', path)).json).not.toHaveLength(0)
    expect((await asStranger('GET', path)).json).toEqual([])
  }
})

test('labels, notes and blocks of a conversation are separate for each account', async () => {
  const path = `/conversations/${encodeURIComponent('+12025550124')}`
  const before = await everything()
  expect((await asStranger('GET', `${path}/details`)).json).toMatchObject({ unread: 0, labels: [], notes: [] })
  expect((await asStranger('PATCH', path, { archived: true, unread: false })).status).toBe(404)
  expect((await asStranger('POST', `${path}/notes`, { text: 'mine' })).status).toBe(404)
  expect((await asStranger('PATCH', path, { blocked: true, addLabels: [owned.label] })).status).toBe(400)
  expect((await asStranger('PATCH', path, { blocked: true, readUpTo: owned.inbox })).status).toBe(400)
  expect((await asStranger('PATCH', path, { blocked: true, unread: false })).status).toBe(200)
  expect((await asStranger('GET', '/unread')).json).toEqual({ messages: 0, conversations: 0 })
  expect(await everything()).toEqual(before)
})

test('statistics count only messages of the account', async () => {
  // Asks for a week, because the tests take hours if the machine is suspended meanwhile.
  const path = '/statistics?period=week'
  const counted = ({ status, json }: Called) => {
    expect([status, json]).toEqual([200, expect.anything()])
    return json.buckets.reduce((sum: number, { accepted }: { accepted: number }) => sum + accepted, 0)
  }
  expect(counted(await relay.api('GET', path))).toBe(2)
  expect(counted(await asStranger('GET', path))).toBe(0)
})

test('logs list only entries of the account', async () => {
  expect(JSON.stringify((await asStranger('GET', '/logs')).json)).not.toContain('of the owner')
  expect(JSON.stringify((await relay.api('GET', '/logs')).json)).toContain('of the owner')
})

test('a device of another account accepts no message, webhook or inbox refresh', async () => {
  const before = await everything()
  const message = { phoneNumbers: ['+12025550123'], textMessage: { text: 'hello' }, deviceId: owned.device }
  expect((await asStranger('POST', '/messages', message)).status).toBe(400)
  const webhook = { url: 'https://example.org/', event: 'sms:sent', deviceId: owned.device }
  expect((await asStranger('POST', '/webhooks', webhook)).status).toBe(400)
  await asStranger('POST', '/inbox/refresh', { ...range, deviceId: owned.device, webhookDelivery: 'Individual' })
  expect(await everything()).toEqual(before)
})

test('two accounts can use the same id', async () => {
  const webhook = { id: owned.webhook, url: 'https://stranger.example/', event: 'sms:sent' }
  expect((await asStranger('POST', '/webhooks', webhook)).status).toBe(201)
  const [own] = (await relay.api('GET', '/webhooks')).json
  expect(own.url).toBe('https://owner.example/')
  await asStranger('DELETE', `/webhooks/${owned.webhook}`)
  expect((await relay.api('GET', '/webhooks')).json).toHaveLength(1)
})

test('a cursor of one account shows no data of that account to another account', async () => {
  const { headers } = await relay.api('GET', '/messages?limit=1')
  const [, next = ''] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? []
  expect((await relay.request('GET', next)).json).toHaveLength(1)
  expect((await relay.request('GET', next, { auth: stranger.basic })).json).toEqual([])
})

interface Owned {
  readonly device: string
  readonly message: string
  readonly inbox: string
  readonly push: string
  readonly label: string
  readonly note: string
  readonly webhook: string
  readonly delivery: string
  readonly token: { readonly id: string; readonly access_token: string }
  readonly key: { readonly id: string; readonly key: string }
}

async function fillAccount(): Promise<Owned> {
  const { database, account } = relay
  const accountId = account.id
  const [device, message, inbox, webhook, delivery] = Array.from({ length: 5 }, () => newId(systemRandom)) as Five
  const createdAt = new Date()
  await database.device.create({ data: { id: device, accountId, name: 'of the owner' } })
  for (const id of [message, newId(systemRandom)]) {
    const address = { deviceId: device, position: 0, phoneNumber: '+12025550123', dueAt: createdAt }
    const recipients = { create: { cmdId: id, accountId, ...address } }
    await database.message.create({
      data: { id, accountId, deviceId: device, createdAt, text: 'of the owner', recipients },
    })
  }
  await database.inboxItem.create({
    data: {
      id: inbox,
      accountId,
      deviceId: device,
      type: 'SMS',
      sender: '+12025550124',
      text: 'of the owner',
      createdAt,
      attachments: { create: { partId: 1, position: 0, ...PICTURE } },
    },
  })
  await relay.api('POST', '/webhooks', { body: { id: webhook, url: 'https://owner.example/', event: 'sms:received' } })
  const { key } = await database.webhook.findFirstOrThrow({ where: { accountId } })
  await database.webhookDelivery.create({
    data: {
      id: delivery,
      webhookKey: key,
      accountId,
      deviceId: device,
      event: 'sms:received',
      payload: {},
      state: 'failed',
    },
  })
  await database.logEntry.create({ data: { accountId, module: 'test', priority: 'INFO', message: 'of the owner' } })
  const { json: token } = await relay.api('POST', '/auth/token', { body: { scopes: ['logs:read'] } })
  const { json: label } = await relay.api('POST', '/labels', { body: { name: 'of the owner' } })
  const decision = { assignee: 'Ada', addLabels: [label.id] }
  await relay.api('PATCH', '/conversations/+12025550124', { body: decision })
  const { json: note } = await relay.api('POST', '/conversations/+12025550124/notes', { body: { text: 'ours' } })
  const { json: ownKey } = await relay.api('POST', '/keys', { body: { name: 'of the owner', scopes: ['logs:read'] } })
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  }
  const browser = { endpoint: 'https://owner.example/browser', keys }
  const { json: push } = await relay.api('POST', '/push/subscriptions', { body: browser })
  return {
    push: push.id,
    device,
    message,
    inbox,
    webhook,
    delivery,
    token,
    key: ownKey,
    label: label.id,
    note: note.id,
  }
}

const PICTURE = { name: 'cat.jpg', contentType: 'image/jpeg', size: 3, octets: new Uint8Array(3) }

type Five = [string, string, string, string, string]

/** Returns all data of the owner, for comparison. */
async function everything(): Promise<unknown> {
  const { database, account } = relay
  const where = { where: { accountId: account.id } }
  return {
    devices: await database.device.findMany(where),
    commands: await database.deviceCommand.findMany(where),
    messages: await database.message.findMany({ ...where, include: { recipients: true } }),
    inbox: await database.inboxItem.findMany(where),
    browsers: await database.pushSubscription.findMany(where),
    labels: await database.label.findMany(where),
    states: await database.conversationState.findMany({ ...where, include: { labels: true, notes: true } }),
    webhooks: await database.webhook.findMany(where),
    deliveries: await database.webhookDelivery.findMany(where),
    keys: await database.apiKey.findMany({ ...where, omit: { lastUsedAt: true, lastUsedFrom: true } }),
    key: (await relay.api('GET', '/logs', { auth: `Bearer ${owned?.key.key}` })).status,
    token: (await relay.api('GET', '/logs', { auth: `Bearer ${owned?.token.access_token}` })).status,
  }
}
