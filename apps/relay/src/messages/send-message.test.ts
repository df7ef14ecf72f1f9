import { beforeEach, describe, expect, test } from 'vitest'
import type { Endpoint } from '../http/endpoint.ts'
import { storeSims } from '../link/claim/store-sims-statement.ts'
import { readUnacknowledgedCommands } from '../link/dispatch/read-unacknowledged-statement.ts'
import { type DispatchWorld, dispatchWorld } from '../link/testing/dispatch-world.ts'
import { systemRandom } from '../random.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { acceptRequests } from './accept/accept-request.ts'
import { getMessage } from './read-messages.ts'
import { sendMessage } from './send-message.ts'
import { callEndpoint } from './testing/call-endpoint.ts'

const db = useTestDatabase()
let world: DispatchWorld
let send: Endpoint
const woken: string[] = []
const DEVICE = 'd'.repeat(21)

beforeEach(async () => {
  await db.database.account.deleteMany()
  world = await dispatchWorld(db.database)
  await db.database.device.updateMany({ data: { id: DEVICE } })
  woken.length = 0
  send = sendWith()
})

function sendWith({ defaultRegion, maxSegments = 255, queueLimit = 1_000 }: Partial<Rules> = {}): Endpoint {
  const accept = acceptRequests({
    database: db.database,
    clock: { now: () => world.now },
    random: systemRandom,
    hints: { wakeForSend: (deviceId, isUrgent) => void woken.push(isUrgent ? `${deviceId} urgently` : deviceId) },
    rules: { defaultRegion, maxSegments },
    queueLimit,
  })
  return sendMessage(accept)
}

interface Rules {
  defaultRegion: 'AD' | 'DE' | undefined
  maxSegments: number
  queueLimit: number
}

function opaque(octets: number): string {
  const [salt, ciphertext] = [Buffer.alloc(16), Buffer.alloc(octets)].map((bytes) => bytes.toString('base64'))
  return `$aes-256-cbc/pbkdf2-sha1$i=75000$${salt}$${ciphertext}`
}

const hello = { phoneNumbers: ['+4915112345678'], textMessage: { text: 'Hello' } }

function post(body: object, more: { query?: Record<string, string>; key?: string; accountId?: string } = {}) {
  const { key, ...rest } = more
  return callEndpoint(send, { body, ...rest, headers: key === undefined ? {} : { 'idempotency-key': key } })
}

describe('an account with a virtual and a real modem', () => {
  const REAL = 'r'.repeat(21)

  beforeEach(async () => {
    await storeSims(db.database, DEVICE, [{ simNumber: 1, state: 'ready', isEmulated: true }], world.now)
    await world.device(REAL)
    await storeSims(db.database, REAL, [{ simNumber: 1, state: 'absent' }], world.now)
    await db.database.device.updateMany({
      where: { id: DEVICE },
      data: { leaseUntil: new Date(world.now.getTime() + 60_000) },
    })
  })

  test('sends with the real modem, even if it is offline', async () => {
    for (let message = 0; message < 6; message += 1) expect((await post(hello)).body).toMatchObject({ deviceId: REAL })
  })

  test('refuses a message to the virtual modem, and suggests what to do', async () => {
    const { status, body } = await post({ ...hello, deviceId: DEVICE })
    expect(status).toBe(400)
    expect(body['message']).toContain('deviceId is a virtual modem, but the account has a real modem')
  })
})

describe('an accepted message', () => {
  test('an accepted message is on disk before the answer, which contains its id', async () => {
    const { status, body, headers } = await post(hello)
    expect(status).toBe(202)
    expect(body).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9_-]{21}$/),
      deviceId: DEVICE,
      state: 'Pending',
      isHashed: false,
      isEncrypted: false,
      recipients: [{ phoneNumber: '+4915112345678', state: 'Pending' }],
      states: { Pending: '2026-03-01T12:00:00.000Z' },
      textMessage: { text: 'Hello' },
      sentBy: { kind: 'password' },
      createdAt: '2026-03-01T12:00:00.000Z',
    })
    expect(headers['Location']).toBe(`/3rdparty/v1/messages/${body['id']}`)
    const stored = await db.database.message.findFirstOrThrow({ include: { recipients: true } })
    expect(stored).toMatchObject({ id: body['id'], text: 'Hello', withDeliveryReport: true, priority: null })
    expect(stored.recipients).toMatchObject([{ position: 0, priority: 0, dueAt: world.now, validUntil: null }])
    expect(woken).toEqual([DEVICE])
  })

  test('an accepted message keeps all fields of the request', async () => {
    const requested = {
      recipient: '+1 (415) 555-0123',
      dataMessage: { data: 'AQID', port: 5000 },
      id: 'order:4711/ä',
      deviceId: DEVICE,
      simNumber: 2,
      withDeliveryReport: false,
      priority: -128,
      onUncertain: 'resend',
      ttl: 3600,
      scheduleAt: '2026-03-01T14:30:00+02:00',
    }
    const { body, headers } = await post(requested)
    expect(headers['Location']).toBe('/3rdparty/v1/messages/order%3A4711%2F%C3%A4')
    const read = await callEndpoint(getMessage({ database: db.database }), { id: 'order:4711/ä' })
    expect(read.body).toMatchObject(body)
    expect(body).toMatchObject({
      dataMessage: { data: 'AQID', port: 5000 },
      id: 'order:4711/ä',
      simNumber: 2,
      priority: -128,
      onUncertain: 'resend',
      scheduleAt: '2026-03-01T12:30:00.000Z',
      validUntil: '2026-03-01T13:00:00.000Z',
    })
    const stored = await db.database.message.findFirstOrThrow({ include: { recipients: true } })
    expect(stored.withDeliveryReport).toBe(false)
    expect(stored.recipients).toMatchObject([
      { priority: -128, dueAt: stored.scheduleAt, validUntil: stored.validUntil, phoneNumber: '+14155550123' },
    ])
  })

  test('an accepted message wakes no device before the message is due', async () => {
    await post({ ...hello, scheduleAt: '2026-03-01T12:00:01Z' })
    expect(woken).toEqual([])
  })

  test('an accepted message keeps its recipients in their order', async () => {
    const numbers = Array.from(
      { length: 100 },
      (_, index) => `+4915112345${String((index * 37) % 100).padStart(2, '0')}9`,
    )
    const { body } = await post({ phoneNumbers: numbers, message: 'Hello' })
    const read = await callEndpoint(getMessage({ database: db.database }), { id: String(body['id']) })
    expect(read.body['recipients']).toMatchObject(numbers.map((phoneNumber) => ({ phoneNumber, state: 'Pending' })))
  })

  test('an accepted message may be encrypted for the agent', async () => {
    const secret = opaque(16)
    send = sendWith({ maxSegments: 1 })
    const { status, body } = await post({
      phoneNumbers: [secret, secret],
      textMessage: { text: opaque(800) },
      isEncrypted: true,
    })
    expect(status).toBe(202)
    expect(body).toMatchObject({ isEncrypted: true, recipients: [{ phoneNumber: secret }, { phoneNumber: secret }] })
  })

  test('an accepted message may contain encrypted data, which reaches the agent unchanged', async () => {
    const requested = { phoneNumbers: [opaque(16)], dataMessage: { data: opaque(32), port: 5000 }, isEncrypted: true }
    const { status, body } = await post(requested)
    expect(status).toBe(202)
    const read = await callEndpoint(getMessage({ database: db.database }), { id: String(body['id']) })
    expect(read.body['dataMessage']).toEqual(requested.dataMessage)
    await db.database.recipient.updateMany({ data: { dispatchedJournal: 'journal' } })
    const agent = { accountId: 'account', deviceId: DEVICE, journalId: 'journal', connEpoch: 1 }
    const [command] = await readUnacknowledgedCommands(db.database, agent, world.now)
    expect(command).toMatchObject({
      isEncrypted: true,
      phoneNumber: requested.phoneNumbers[0],
      content: requested.dataMessage,
    })
  })

  test('an accepted message may go to a short code if validation is skipped', async () => {
    expect((await post({ ...hello, phoneNumbers: ['7-62-62'] })).status).toBe(400)
    const { body } = await post({ ...hello, phoneNumbers: ['7-62-62'] }, { query: { skipPhoneValidation: '1' } })
    expect(body['recipients']).toEqual([{ phoneNumber: '76262', state: 'Pending' }])
  })

  test('an accepted message may go to short codes and other numbers if short codes are allowed', async () => {
    send = sendWith({ defaultRegion: 'AD' })
    const mixed = { ...hello, phoneNumbers: ['72727', '564227', '+4915112345678', '112'] }
    const refused = await post(mixed)
    expect(refused.body['errors']).toMatchObject([{ path: 'phoneNumbers[0]' }, { path: 'phoneNumbers[3]' }])
    const { body } = await post(mixed, { query: { allowShortCodes: 'true' } })
    expect(body['recipients']).toEqual(
      ['72727', '+376564227', '+4915112345678', '112'].map((phoneNumber) => ({ phoneNumber, state: 'Pending' })),
    )
  })

  test('an accepted message may have a national number if a region is set', async () => {
    send = sendWith({ defaultRegion: 'DE' })
    const { body } = await post({ ...hello, phoneNumbers: ['0151 12345678'] })
    expect(body['recipients']).toEqual([{ phoneNumber: '+4915112345678', state: 'Pending' }])
  })
})

describe('a refused message', () => {
  test.each<[string, object, string]>([
    ['two spellings of a number', { phoneNumbers: ['+4915112345678', '4915112345678'] }, 'phoneNumbers[1]'],
    ['a number that does not exist', { phoneNumbers: ['+447700900123'] }, 'phoneNumbers[0]'],
    ['a schedule in the past', { scheduleAt: '2026-03-01T12:00:00Z' }, 'scheduleAt'],
    ['a deadline in the past', { validUntil: '2026-03-01T12:00:00Z' }, 'validUntil'],
    ['a schedule after its ttl', { ttl: 5, scheduleAt: '2026-03-01T12:00:05Z' }, 'scheduleAt'],
    ['more parts than an SMS can have', { textMessage: { text: 'a'.repeat(39_016) } }, 'textMessage.text'],
    ['an unencrypted number', { isEncrypted: true, textMessage: { text: opaque(16) } }, 'phoneNumbers[0]'],
    ['unencrypted text', { isEncrypted: true, phoneNumbers: [opaque(16)] }, 'textMessage.text'],
    ['the device of another account', { deviceId: 'o'.repeat(21) }, 'deviceId'],
  ])('a message is refused for %s with an error that names the field', async (_, wrong, path) => {
    await world.account('other')
    await world.device('o'.repeat(21), 'other')
    const { status, body } = await post({ ...hello, ...wrong })
    expect(status).toBe(400)
    expect(body['errors']).toMatchObject([{ path }])
    expect(await db.database.message.count()).toBe(0)
  })

  test('a message without any device is refused with instructions to add one', async () => {
    await world.account('new')
    const { status, body } = await post(hello, { accountId: 'new' })
    expect(status).toBe(400)
    expect(body['message']).toContain('/devices/codes')
  })

  test('a message with a SIM number that the device does not have is refused', async () => {
    await db.database.simCard.create({ data: { deviceId: DEVICE, simNumber: 1, state: 'ready' } })
    const { status, body } = await post({ ...hello, simNumber: 2 })
    expect(status).toBe(400)
    expect(body['errors']).toMatchObject([{ path: 'simNumber' }])
  })

  test('a message is refused only after the devices were read again', async () => {
    await world.account('new')
    expect((await post(hello, { accountId: 'new' })).status).toBe(400)
    await world.device('n'.repeat(21), 'new')
    expect((await post(hello, { accountId: 'new' })).status).toBe(202)
    expect((await post({ ...hello, deviceId: 'm'.repeat(21) }, { accountId: 'new' })).status).toBe(400)
    await world.device('m'.repeat(21), 'new')
    expect((await post({ ...hello, deviceId: 'm'.repeat(21) }, { accountId: 'new' })).status).toBe(202)
  })

  test('a message for a device that was just deleted is refused', async () => {
    expect((await post(hello)).status).toBe(202)
    await db.database.device.update({ where: { id: DEVICE }, data: { deletedAt: world.now } })
    expect((await post(hello)).status).toBe(400)
    await world.device('n'.repeat(21))
    expect((await post(hello)).body['deviceId']).toBe('n'.repeat(21))
  })

  test('a message with an existing id is refused, but only in the same account', async () => {
    expect((await post({ ...hello, id: 'a' })).status).toBe(202)
    expect((await post({ ...hello, id: 'a' })).status).toBe(409)
    await world.account('other')
    await world.device('o'.repeat(21), 'other')
    expect((await post({ ...hello, id: 'a' }, { accountId: 'other' })).status).toBe(202)
  })

  test('a refused message does not use up its idempotency key', async () => {
    await post({ ...hello, id: 'a' })
    expect((await post({ ...hello, id: 'a' }, { key: 'k' })).status).toBe(409)
    expect((await post({ ...hello, id: 'b' }, { key: 'k' })).status).toBe(202)
  })
})

describe('a queue', () => {
  test('a queue accepts recipients up to its limit, then answers 503 with Retry-After', async () => {
    send = sendWith({ queueLimit: 3 })
    await post({ ...hello, phoneNumbers: ['+4915112345678', '+4915112345679'] })
    expect((await post({ ...hello, id: 'last' })).status).toBe(202)
    const { status, headers } = await post(hello)
    expect([status, headers['Retry-After']]).toEqual([503, '10'])
    await db.database.recipient.updateMany({ where: { message: { id: 'last' } }, data: { state: 'Sent' } })
    expect((await post(hello)).status).toBe(202)
  })

  test('a queue is not overfilled by concurrent requests', async () => {
    send = sendWith({ queueLimit: 5 })
    const answers = await Promise.all(Array.from({ length: 30 }, () => post(hello)))
    const statuses = Map.groupBy(answers, ({ status }) => status)
    expect([statuses.get(202)?.length, statuses.get(503)?.length]).toEqual([5, 25])
    expect(await db.database.message.count()).toBe(5)
  })

  test('a queue has room again after messages were refused', async () => {
    send = sendWith({ queueLimit: 2 })
    await post({ ...hello, id: 'a' })
    for (let again = 0; again < 3; again++) expect((await post({ ...hello, id: 'a' })).status).toBe(409)
    expect((await post(hello)).status).toBe(202)
  })

  test('the queue of the device with the fewest messages is chosen', async () => {
    const lease = { leaseUntil: world.pass(60) }
    world.pass(-60)
    await world.device('n'.repeat(21))
    await db.database.device.updateMany({ data: lease })
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(hello)))
    const perDevice = Map.groupBy(answers, ({ body }) => body['deviceId'])
    expect([...perDevice.values()].map(({ length }) => length)).toEqual([5, 5])
  })
})

describe('an idempotency key', () => {
  test('an idempotency key returns the first answer for the same request, in any order of its JSON members', async () => {
    const first = await post({ ...hello, id: 'a', priority: 3, ttl: 60 }, { key: 'k' })
    await db.database.recipient.updateMany({ data: { state: 'Failed', error: 'no credit' } })
    await db.database.message.updateMany({ data: { state: 'Failed', failedAt: world.now } })
    world.pass(30)
    const again = await post({ ttl: 60, priority: 3, id: 'a', ...hello }, { key: 'k' })
    expect(again).toEqual({ ...first, headers: { ...first.headers, 'Idempotency-Replayed': 'true' } })
    expect(first.headers['Idempotency-Replayed']).toBeUndefined()
    expect(await db.database.message.count()).toBe(1)
  })

  test.each<[string, object, Record<string, string>]>([
    ['text', { textMessage: { text: 'Hello!' } }, {}],
    ['number', { phoneNumbers: ['+14155550123'] }, {}],
    ['query', {}, { skipPhoneValidation: 'true' }],
  ])('an idempotency key is refused for another %s', async (_, other, query) => {
    await post(hello, { key: 'k' })
    expect((await post({ ...hello, ...other }, { key: 'k', query })).status).toBe(422)
  })

  test('an idempotency key returns the first answer if a program has begun to allow short codes', async () => {
    const first = await post(hello, { key: 'k' })
    const again = await post(hello, { key: 'k', query: { allowShortCodes: 'true' } })
    expect([again.status, again.body]).toEqual([202, first.body])
  })

  test('an idempotency key belongs to one account', async () => {
    await world.account('other')
    await world.device('o'.repeat(21), 'other')
    const first = await post(hello, { key: 'k' })
    const other = await post(hello, { key: 'k', accountId: 'other' })
    expect(other.status).toBe(202)
    expect(other.body['id']).not.toBe(first.body['id'])
  })

  test('an idempotency key still returns the first answer when the request would be refused now', async () => {
    send = sendWith({ queueLimit: 1 })
    const requested = { ...hello, scheduleAt: '2026-03-01T12:00:10Z' }
    const first = await post(requested, { key: 'k' })
    expect((await post(requested, { key: 'k' })).body).toEqual(first.body)
    world.pass(60)
    expect((await post(requested, { key: 'k' })).body).toEqual(first.body)
    expect((await post(requested, { key: 'new' })).status).toBe(400)
    await db.database.device.updateMany({ data: { deletedAt: world.now } })
    expect((await post(requested, { key: 'k' })).body).toEqual(first.body)
  })

  test('an idempotency key is not used up by a refusal', async () => {
    expect((await post({ ...hello, phoneNumbers: ['nobody'] }, { key: 'k' })).status).toBe(400)
    expect((await post({ ...hello, deviceId: 'unknown' }, { key: 'k' })).status).toBe(400)
    expect((await post(hello, { key: 'k' })).status).toBe(202)
  })

  test('an idempotency key must be printable', async () => {
    expect((await post(hello, { key: 'ä' })).status).toBe(400)
    expect((await post(hello, { key: '' })).status).toBe(400)
  })

  test('an idempotency key creates one message for many concurrent requests, and each of them gets the answer for this message', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => keys).map((all) => Promise.all(all.map((key) => post(hello, { key })))),
    )
    expect(await db.database.message.count()).toBe(20)
    for (const [index] of keys.entries()) {
      const ofKey = answers.map((all) => all[index])
      expect(new Set(ofKey.map((answer) => JSON.stringify(answer?.body))).size).toBe(1)
      expect(ofKey.filter((answer) => answer?.headers['Idempotency-Replayed'] === undefined).length).toBe(1)
    }
  })
})
