// Phones and callers that send requests which no app sends.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ApiError } from '../http/errors/api-error.ts'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { registerPhone } from './register-phone.ts'
import { reportStates } from './report-states.ts'
import { type TestPhone, testPhone } from './testing/test-phone.ts'

let relay: TestRelay
let phone: TestPhone
beforeAll(async () => {
  relay = await testRelay()
})
afterAll(() => relay.close())
beforeEach(async () => {
  await relay.database.webhook.deleteMany()
  await relay.database.inboxItem.deleteMany()
  await relay.database.message.deleteMany()
  await relay.database.device.deleteMany()
  phone = await testPhone(relay)
})

const createdAt = new Date(Date.now() - 5_000).toISOString()
const mms = (id: string, content: string, attachments: object[] = []) => ({
  ...{ id, type: 'MMS_DOWNLOADED', sender: '+12025550123', content, createdAt, attachments },
})
const register = (event: string) => relay.api('POST', '/webhooks', { body: { url: 'https://example.org/', event } })
const deliveries = () => relay.database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })

test('only the first of 500 messages with one id is stored and announced, with each part once', async () => {
  await register('mms:downloaded')
  const attachments = [
    { partId: 1, contentType: 'text/plain', data: 'Zmlyc3Q=' },
    { partId: 1, contentType: 'text/html', data: 'c2Vjb25k' },
  ]
  const batch = Array.from({ length: 500 }, (_, index) =>
    mms('same', `text ${index}`, index % 50 === 0 ? attachments : []),
  )
  expect((await phone.call('POST', '/inbox', batch)).status).toBe(201)
  const { json } = await relay.api('GET', '/inbox?includeAttachments=true')
  const attachment = { partId: 1, name: '', size: 5, contentType: 'text/plain' }
  expect(json).toMatchObject([{ text: 'text 0', attachments: [attachment] }])
  expect(await deliveries()).toHaveLength(1)
})

test('valid messages of a batch are stored, even between invalid messages, with one entry in the log', async () => {
  const invalid = [
    null,
    7,
    'x',
    [],
    {},
    { id: 'x'.repeat(37) },
    mms('1', 'x'.repeat(131_073)),
    { ...mms('2', ''), createdAt: 'now' },
  ]
  const batch = Array.from({ length: 50 }, (_, index) => [...invalid, mms(`valid ${index}`, 'hello')]).flat()
  expect((await phone.call('POST', '/inbox', batch.slice(0, 450))).status).toBe(201)
  expect((await relay.api('GET', '/inbox?limit=100')).json).toHaveLength(50)
  const entries = async () =>
    ((await relay.api('GET', '/logs')).json as { message: string; context?: object; deviceId?: string }[]).filter(
      ({ message }) => message.startsWith('ignored a received message'),
    )
  await expect.poll(entries).toMatchObject([{ context: { count: '400' } }])
  expect(await entries()).toHaveLength(1)
})

test('a thousand repeated reports with thousands of numbers have the same effect as one report', async () => {
  await register('sms:sent')
  const phoneNumbers = Array.from({ length: 100 }, (_, index) => `+12025550${100 + index}`)
  const body = { phoneNumbers, textMessage: { text: 'hello' } }
  const { json } = await relay.api('POST', '/messages', { body })
  await phone.pull()
  const strangers = Array.from({ length: 900 }, (_, index) => ({ phoneNumber: `+1${index}`, state: 'Failed' }))
  const own = phoneNumbers.map((phoneNumber) => ({ phoneNumber, state: 'Sent' }))
  // If a number is repeated, its first state is used.
  const repeated = [...own, ...own.slice(0, 10).map((one) => ({ ...one, state: 'Failed' }))]
  const report = { id: json.id, state: 'Failed', recipients: [...strangers.slice(110), ...repeated] }
  expect((await phone.call('PATCH', '/messages', [report, report, report])).status).toBe(204)
  const whole = Array.from({ length: 1_000 }, () => ({ id: json.id, state: 'Sent' }))
  expect((await phone.call('PATCH', '/messages', whole)).status).toBe(204)
  expect((await relay.api('GET', `/messages/${json.id}`)).json).toMatchObject({ state: 'Sent' })
  expect(await deliveries()).toHaveLength(100)
})

test('a thousand reports that differ without effect cost one transaction', async () => {
  const phoneNumbers = Array.from({ length: 100 }, (_, index) => `+12025550${100 + index}`)
  const { json } = await relay.api('POST', '/messages', { body: { phoneNumbers, textMessage: { text: 'hello' } } })
  await phone.pull()
  const { accountId, journalId } = await relay.database.device.findUniqueOrThrow({ where: { id: phone.id } })
  let transactions = 0
  const { handle } = reportStates({
    database: relay.database,
    clock: { now: () => new Date() },
    logbook: { write: () => undefined },
    outbox: { wake: () => undefined },
    onMoved: () => {
      transactions += 1
    },
  } as unknown as Parameters<typeof reportStates>[0])
  const body = Array.from({ length: 1_000 }, (_, index) => ({ id: json.id, state: 'Sent', states: { [index]: index } }))
  const principal = { phone: { accountId, deviceId: phone.id, connEpoch: 1, journalId } }
  expect(await handle({ principal, body } as never)).toEqual({ status: 204 })
  expect((await relay.api('GET', `/messages/${json.id}`)).json).toMatchObject({ state: 'Sent' })
  expect(transactions).toBe(1)
})

test('a failure that is reported before and after Sent is recorded after Sent if the outcome was unknown before', async () => {
  const body = { phoneNumbers: ['+12025550123'], textMessage: { text: 'hello' } }
  const { json } = await relay.api('POST', '/messages', { body })
  await phone.pull()
  await relay.database.recipient.updateMany({
    data: { state: 'Failed', errorCode: 'device_lost', error: 'device_lost' },
  })
  const reports = ['Failed', 'Sent', 'Sent', 'Failed', 'Failed'].map((state, index) => ({
    ...{ id: json.id, state },
    recipients: [{ phoneNumber: '+12025550123', state, error: `error ${index}` }],
  }))
  expect((await phone.call('PATCH', '/messages', reports)).status).toBe(204)
  expect((await relay.api('GET', `/messages/${json.id}`)).json).toMatchObject({
    state: 'Failed',
    recipients: [{ state: 'Failed', error: 'error 3' }],
  })
})

test('the token of a phone opens no attachment, and no other credentials upload one', async () => {
  const attachments = [{ partId: 1, contentType: 'text/plain', data: 'aGk=' }]
  await phone.call('POST', '/inbox', [mms('1', 'hello', attachments)])
  const [item] = (await relay.api('GET', '/inbox')).json as [{ id: string }]
  const path = `/3rdparty/v1/inbox/${item.id}/attachments/1`
  expect((await relay.request('GET', path)).status).toBe(200)
  const token = async (scopes: string[]) =>
    `Bearer ${(await relay.api('POST', '/auth/token', { body: { scopes } })).json.access_token}`
  const statusWith = async (auth: string | null) => (await relay.request('GET', path, { auth })).status
  expect(await statusWith(`Bearer ${phone.token}`)).toBe(401)
  expect(await statusWith(await token(['inbox:list', 'inbox:refresh', 'messages:read']))).toBe(403)
  expect(await statusWith(await token(['inbox:read']))).toBe(200)
  const stranger = await relay.addAccount()
  expect(await statusWith(stranger.basic)).toBe(404)
  for (const auth of [relay.account.basic, await token(['all:any']), 'Bearer x', 'Code abcdef', null])
    expect((await relay.request('POST', '/mobile/v1/inbox', { auth, body: [mms('2', 'forged')] })).status).toBe(401)
  // The token of a phone and a token of the API are not private tokens.
  for (const auth of [`Bearer ${phone.token}`, await token(['all:any'])])
    expect((await relay.request('POST', '/mobile/v1/device', { auth, body: {} })).status).toBe(401)
  expect(await relay.database.inboxItem.count()).toBe(1)
})

test('a phone cannot read or change anything of another phone of the same account', async () => {
  const other = await testPhone(relay)
  const body = { deviceId: phone.id, phoneNumbers: ['+12025550123'], textMessage: { text: 'hello' } }
  const { json } = await relay.api('POST', '/messages', { body })
  await phone.pull()
  expect(await other.pull()).toEqual([])
  expect(await other.report(json.id, 'Delivered')).toBe(204)
  expect((await relay.api('GET', `/messages/${json.id}`)).json).toMatchObject({ state: 'Pending' })
  expect((await other.call('PATCH', '/device', { id: phone.id, capabilities: [] })).status).toBe(403)
  await phone.call('POST', '/inbox', [mms('1', 'mine')])
  await other.call('POST', '/inbox', [mms('1', 'not yours')])
  const texts = ((await relay.api('GET', '/inbox')).json as { text: string }[]).map(({ text }) => text)
  expect(texts.sort()).toEqual(['mine', 'not yours'])
})

test('a wrong password is refused before a connection to the database is taken', async () => {
  let transactions = 0
  const endpoint = registerPhone({
    database: {
      $transaction: async () => {
        transactions += 1
      },
    },
    authenticate: async () => {
      throw new ApiError(401, 'wrong')
    },
    throttle: { take: () => 0 },
    allowInsecureHttp: true,
    clock: { now: () => new Date() },
  } as unknown as Parameters<typeof registerPhone>[0])
  const register = (authorization?: string) =>
    endpoint.handle({ body: {}, headers: { authorization }, address: '10.0.0.1', isSecure: true } as never)
  await expect(register(relay.account.basic)).rejects.toMatchObject({ status: 401 })
  await expect(register()).rejects.toMatchObject({ status: 401 })
  expect(transactions).toBe(0)
})
