// Limits of API keys on recipients, SIMs and recipients per day.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, systemRandom } from '../../random.ts'
import { type TestRelay, testRelay } from '../../testing/test-relay.ts'

const clock = { aheadMs: 0, now: () => new Date(Date.now() + clock.aheadMs) }
const [ONE, OTHER] = ['1'.repeat(21), '2'.repeat(21)]
let relay: TestRelay

beforeAll(async () => {
  relay = await testRelay({ clock })
  const { database, account } = relay
  for (const id of [ONE, OTHER]) {
    await database.device.create({ data: { id, accountId: account.id, name: id, leaseUntil: new Date('2100-01-01') } })
    for (const simNumber of [1, 2]) await database.simCard.create({ data: { deviceId: id, simNumber, state: 'ready' } })
  }
})
afterAll(() => relay.close())

async function create(limits: object, more: object = {}): Promise<{ id: string; key: string }> {
  const body = { name: 'program', scopes: ['messages:send', 'tokens:manage'], limits, ...more }
  const { status, json } = await relay.api('POST', '/keys', { body })
  expect(status).toBe(201)
  return json
}

const NUMBER = '+447400123456'
const send = (key: string, body: object = {}, headers: Record<string, string> = {}) =>
  relay.api('POST', '/messages', {
    auth: `Bearer ${key}`,
    body: { phoneNumbers: [NUMBER], textMessage: { text: 'hello' }, ...body },
    headers,
  })
const reasonOf = async (answer: ReturnType<typeof send>) => {
  const { status, json } = await answer
  return [status, json.reason]
}

test('a key with limited recipients sends to these numbers and prefixes only', async () => {
  const { key } = await create({ recipients: [NUMBER, '+4930*'] })
  expect((await send(key)).status).toBe(202)
  expect((await send(key, { phoneNumbers: ['+49 30 123456'] })).status).toBe(202)
  expect(await reasonOf(send(key, { phoneNumbers: ['+447400123457'] }))).toEqual([403, 'key_recipient_limit'])
  const { json } = await send(key, { phoneNumbers: [NUMBER, '+12025550123'] })
  expect(json).toMatchObject({ reason: 'key_recipient_limit', errors: [{ path: 'phoneNumbers[1]' }] })
  expect(json.message).toBe('API key "program" may not send to +12025550123: the key is limited to other recipients')
})

test('a key with limited recipients sends no encrypted message', async () => {
  const { key } = await create({ recipients: ['+44*'] })
  const field = `$aes-256-cbc/pbkdf2-sha1$i=1000$${Buffer.alloc(16).toString('base64')}$${Buffer.alloc(16).toString('base64')}`
  const body = { phoneNumbers: [field], textMessage: { text: field }, isEncrypted: true }
  expect(await reasonOf(send(key, body))).toEqual([403, 'key_recipient_limit'])
})

test('a key with a limited SIM sends with this SIM, even if the request names no SIM', async () => {
  const { key } = await create({ sims: [{ deviceId: OTHER, simNumber: 2 }] })
  for (const body of [{}, { simNumber: 2 }, { deviceId: OTHER }]) {
    const { status, json } = await send(key, body)
    expect([status, json.deviceId, json.simNumber]).toEqual([202, OTHER, 2])
  }
  for (const body of [{ simNumber: 1 }, { deviceId: ONE }, { deviceId: OTHER, simNumber: 1 }])
    expect(await reasonOf(send(key, body))).toEqual([403, 'key_sim_limit'])
})

test('a key that is limited to a device uses every SIM of this device', async () => {
  const { key } = await create({ sims: [{ deviceId: ONE }] })
  expect((await send(key)).json).toMatchObject({ deviceId: ONE })
  expect((await send(key, { simNumber: 2 })).json).toMatchObject({ deviceId: ONE, simNumber: 2 })
})

test('a key whose device was deleted cannot send, and its name can still be changed', async () => {
  const { database, account } = relay
  const deviceId = newId(systemRandom)
  await database.device.create({ data: { id: deviceId, accountId: account.id, name: 'gone' } })
  const { id, key } = await create({ sims: [{ deviceId }] })
  await database.device.update({ where: { id: deviceId }, data: { deletedAt: new Date() } })
  expect(await reasonOf(send(key))).toEqual([403, 'key_sim_limit'])
  const body = { name: 'renamed', limits: { sims: [{ deviceId }], recipientsPerDay: 5 } }
  expect((await relay.api('PATCH', `/keys/${id}`, { body })).status).toBe(200)
})

test('a key cannot be limited to a device that the account does not have', async () => {
  const other = await relay.addAccount()
  const [ofOther, deleted] = [newId(systemRandom), newId(systemRandom)]
  await relay.database.device.create({ data: { id: ofOther, accountId: other.id, name: 'of another account' } })
  await relay.database.device.create({
    data: { id: deleted, accountId: relay.account.id, name: 'deleted', deletedAt: new Date() },
  })
  const { id } = await create({ sims: [{ deviceId: ONE }] })
  const ids = ['attic', ofOther, deleted]
  const limits = { sims: [{ deviceId: ONE }, ...ids.map((deviceId) => ({ deviceId, simNumber: 1 }))] }
  const body = { name: 'program', scopes: ['messages:send'], limits }
  for (const answer of [
    relay.api('POST', '/keys', { body }),
    relay.api('PATCH', `/keys/${id}`, { body: { limits } }),
  ]) {
    const { status, json } = await answer
    const problem = { reason: 'unknown_device', message: expect.stringContaining('is not a device of this account') }
    const errors = [1, 2, 3].map((at) => ({ path: `limits.sims[${at}].deviceId`, ...problem }))
    expect([status, json.errors]).toEqual([400, errors])
  }
  expect((await relay.api('GET', `/keys/${id}`)).json.limits).toEqual({ sims: [{ deviceId: ONE }] })
})

test('a key with limited SIMs cannot send a USSD request with another SIM', async () => {
  const { key } = await create({ sims: [{ deviceId: ONE, simNumber: 2 }] }, { scopes: ['devices:write'] })
  const ask = async (deviceId: string, simNumber?: number) => {
    const body = { code: '*100#', ...(simNumber && { simNumber }) }
    const { json } = await relay.api('POST', `/devices/${deviceId}/ussd`, { auth: `Bearer ${key}`, body })
    return json.reason
  }
  expect([await ask(OTHER, 2), await ask(ONE, 1), await ask(ONE)]).toEqual(Array(3).fill('key_sim_limit'))
})

test('a key sends to at most the daily number of recipients, and continues on the next day', async () => {
  const { id, key } = await create({ recipientsPerDay: 3 })
  expect((await send(key, { phoneNumbers: [NUMBER, '+447400123457'] })).status).toBe(202)
  const answer = await send(key, { phoneNumbers: [NUMBER, '+447400123457'] })
  expect([answer.status, answer.json.reason]).toEqual([429, 'key_daily_limit'])
  expect(answer.json.message).toContain('Daily limit of API key "program" reached: 2 of 3 recipients used')
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await send(key)).status).toBe(202)
  expect((await relay.api('GET', `/keys/${id}`)).json.recipientsToday).toBe(3)
  expect((await send(key)).status).toBe(429)
  clock.aheadMs = 86_400_000
  expect((await send(key)).status).toBe(202)
  expect((await relay.api('GET', `/keys/${id}`)).json.recipientsToday).toBe(1)
  clock.aheadMs = 0
})

test('repeated and refused messages do not count', async () => {
  const { id, key } = await create({ recipientsPerDay: 2 })
  const first = await send(key, {}, { 'idempotency-key': 'counts once' })
  for (let turn = 0; turn < 3; turn++) {
    const again = await send(key, {}, { 'idempotency-key': 'counts once' })
    expect([again.status, again.json.id]).toEqual([202, first.json.id])
  }
  expect((await send(key, { id: first.json.id })).status).toBe(409)
  expect((await send(key, { phoneNumbers: ['nonsense'] })).status).toBe(400)
  expect((await send(key, { deviceId: 'unknown' })).status).toBe(400)
  expect((await relay.api('GET', `/keys/${id}`)).json.recipientsToday).toBe(1)
  expect((await send(key)).status).toBe(202)
  // The limit is reached, but a repeated request still gets its first answer.
  const again = await send(key, {}, { 'idempotency-key': 'counts once' })
  expect([again.status, again.json.id, again.headers.get('idempotency-replayed')]).toEqual([202, first.json.id, 'true'])
  expect((await send(key)).status).toBe(429)
})

test('the tokens of a key share its limits', async () => {
  const { key } = await create({ recipientsPerDay: 1, recipients: ['+44*'] })
  const { json: pair } = await relay.api('POST', '/auth/token', {
    auth: `Bearer ${key}`,
    body: { scopes: ['messages:send'] },
  })
  expect(await reasonOf(send(pair.access_token, { phoneNumbers: ['+12025550123'] }))).toEqual([
    403,
    'key_recipient_limit',
  ])
  expect((await send(pair.access_token)).status).toBe(202)
  expect(await reasonOf(send(key))).toEqual([429, 'key_daily_limit'])
  expect(await reasonOf(send(pair.access_token))).toEqual([429, 'key_daily_limit'])
})

test('a raised limit applies at once', async () => {
  const { id, key } = await create({ recipientsPerDay: 1 })
  expect([(await send(key)).status, (await send(key)).status]).toEqual([202, 429])
  await relay.api('PATCH', `/keys/${id}`, { body: { limits: { recipientsPerDay: 2 } } })
  expect([(await send(key)).status, (await send(key)).status]).toEqual([202, 429])
})

test('messages name their sender, and the list of messages can be filtered by sender', async () => {
  const { id, key } = await create({}, { name: 'named', scopes: ['messages:send', 'tokens:manage'] })
  const { json: ofKey } = await relay.api('POST', '/auth/token', {
    auth: `Bearer ${key}`,
    body: { scopes: ['messages:send'] },
  })
  const { json: token } = await relay.api('POST', '/auth/token', { body: { scopes: ['messages:send'] } })
  const byKey = { kind: 'key', keyId: id, keyName: 'named' }
  const first = await send(key)
  expect(first.json.sentBy).toEqual(byKey)
  const second = await send(ofKey.access_token)
  expect(second.json.sentBy).toEqual(byKey)
  const third = await send(token.access_token)
  expect(third.json.sentBy).toEqual({ kind: 'token' })
  const fourth = await relay.api('POST', '/messages', { body: { recipient: NUMBER, message: 'hello' } })
  expect(fourth.json.sentBy).toEqual({ kind: 'password' })
  const list = async (sentBy: string) =>
    (await relay.api('GET', `/messages?sentBy=${sentBy}`)).json.map((one: { id: string }) => one.id)
  expect(await list(id)).toEqual([second.json.id, first.json.id])
  expect((await relay.api('GET', `/messages?sentBy=${id}&state=Pending&limit=1`)).headers.get('x-total-count')).toBe(
    '2',
  )
  expect(await list('token')).toEqual([third.json.id])
  expect(await list('password')).toEqual([fourth.json.id])
  expect(await list('session')).toEqual([])
  expect(await list('key')).toContain(first.json.id)
  expect((await relay.api('GET', '/messages?sentBy=nobody')).status).toBe(400)
  await relay.api('PATCH', `/keys/${id}`, { body: { name: 'renamed' } })
  expect((await relay.api('GET', `/messages/${first.json.id}`)).json.sentBy).toEqual({ ...byKey, keyName: 'renamed' })
})

test.each([
  [{ limits: { recipient: [NUMBER] } }, 'limits.recipient is not a known field. Did you mean recipients?'],
  [{ limits: { recipientsPerday: 5 } }, 'limits.recipientsPerday is not a known field. Did you mean recipientsPerDay?'],
  [{ limits: { Approval: 'required' } }, 'limits.Approval is not a known field. Did you mean approval?'],
  [
    { limits: { sims: [{ deviceId: ONE, sim: 1 }] } },
    'limits.sims[0].sim is not a known field. Did you mean simNumber?',
  ],
  [{ limit: {} }, 'limit is not a known field. Did you mean limits?'],
])('a misspelled limit is refused, and leaves the limits of an existing key unchanged: %j', async (body, message) => {
  const limits = { recipients: [NUMBER] }
  const { id } = await create(limits)
  const request = { name: 'program', scopes: ['messages:send'], ...body }
  const created = await relay.api('POST', '/keys', { body: request })
  expect([created.status, created.json.message]).toEqual([400, message])
  const changed = await relay.api('PATCH', `/keys/${id}`, { body })
  expect([changed.status, changed.json.message]).toEqual([400, message])
  expect((await relay.api('GET', `/keys/${id}`)).json.limits).toEqual(limits)
})

test('a misspelled expiry or overlap is refused', async () => {
  const { id } = await create({})
  const body = { name: 'program', scopes: ['messages:send'], expires: '2100-01-01T00:00:00Z' }
  const answers = [
    await relay.api('POST', '/keys', { body }),
    await relay.api('POST', `/keys/${id}/rotate`, { body: { overlap: 0 } }),
  ]
  expect(answers.map(({ status, json }) => [status, json.message])).toEqual([
    [400, 'expires is not a known field. Did you mean expiresAt?'],
    [400, 'overlap is not a known field. Did you mean overlapSeconds?'],
  ])
})
