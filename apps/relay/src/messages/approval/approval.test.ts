// Tests messages of API keys that need the approval of a person.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DEVICE, type FacadeRelay, facadeRelay } from '../../facades/testing/facade-relay.ts'
import { openConnection } from '../../link/claim/open-connection.ts'
import { claimCommands } from '../../link/dispatch/claim-commands-statement.ts'
import { findDevicesWithWork } from '../../link/dispatch/find-work-statement.ts'
import { readEventStream } from '../../live/testing/read-event-stream.ts'
import { correctStoredTimes } from '../../store/clock/correct-stored-times-statement.ts'
import { endUnapproved, expireMessages } from '../end-undispatched.ts'

const NUMBER = '+447400123456'
const HOUR_MS = 3_600_000
const clock = { aheadMs: 0, now: () => new Date(Date.now() + clock.aheadMs) }
let relay: FacadeRelay
let key: string

beforeAll(async () => {
  relay = await facadeRelay({ clock })
  key = await relay.createKey({
    limits: { approval: 'required' },
    scopes: ['messages:send', 'messages:read', 'messages:cancel', 'tokens:manage'],
  })
})
beforeEach(async () => {
  clock.aheadMs = 0
  await relay.database.message.deleteMany()
})
afterAll(() => relay.close())

const send = (body: object = {}, headers: Record<string, string> = {}) =>
  relay.api('POST', '/messages', {
    auth: `Bearer ${key}`,
    body: { phoneNumbers: [NUMBER], textMessage: { text: 'hello' }, ...body },
    headers,
  })
const sent = async (body: object = {}): Promise<string> => {
  const { status, json } = await send(body)
  expect(status).toBe(202)
  return json.id
}
const decide = (id: string, decision: 'approve' | 'refuse', auth = relay.account.basic) =>
  relay.api('POST', `/messages/${id}/${decision}`, { auth })
const show = async (id: string) => (await relay.api('GET', `/messages/${id}`)).json
const pending = async () =>
  (await relay.api('GET', '/messages?approval=pending&includeContent=true')).json.map(({ id }: { id: string }) => id)

/** Claims everything that is due for the device at this time, as a relay with its agent does. */
async function dispatched(at: Date): Promise<string[]> {
  const agent = { accountId: relay.account.id, deviceId: DEVICE, journalId: 'journal', bootId: 'boot' }
  const about = { agentVersion: '1.0.0', capabilities: [], sims: [], ...agent }
  const opened = await openConnection(relay.database, about, { relayId: 'relay', leaseMs: 60_000, now: clock.now() })
  if (opened === undefined) throw new Error('the device does not exist')
  const room = { sends: 100, urgentSends: 110, others: 64 }
  const commands = await claimCommands(relay.database, opened.connection, room, at)
  return commands.flatMap((command) => (command.kind === 'send' ? [command.messageId] : []))
}

/**
 * Later than every time in these tests, but earlier than the time at which messages that wait for approval become due.
 */
const LATER = new Date('2500-01-01T00:00:00Z')

test('a message of the key is held, listed, and sent only after its approval', async () => {
  const { json } = await send()
  expect(json).toMatchObject({ state: 'Pending', approval: { state: 'pending' }, waiting: { reason: 'approval' } })
  expect(new Date(json.approval.until).getTime() - new Date(json.createdAt).getTime()).toBe(24 * HOUR_MS)
  expect(await pending()).toEqual([json.id])
  expect(await show(json.id)).toMatchObject({
    waiting: { reason: 'approval', until: json.approval.until },
    recipients: [{ waiting: { reason: 'approval' } }],
  })
  expect(await dispatched(LATER)).toEqual([])

  const approved = await decide(json.id, 'approve')
  expect(approved.status).toBe(200)
  expect(approved.json).toMatchObject({
    id: json.id,
    state: 'Pending',
    approval: { state: 'approved', decidedBy: relay.account.username, decidedAt: expect.any(String) },
  })
  expect(await pending()).toEqual([])
  expect((await relay.api('GET', '/messages?approval=approved')).json).toMatchObject([{ id: json.id }])
  expect(await dispatched(clock.now())).toEqual([json.id])
})

test.each([
  ['the highest priority', { priority: 127 }],
  ['a time in the future', { scheduleAt: new Date(Date.now() + 2 * HOUR_MS).toISOString() }],
  ['a device and a SIM', { deviceId: DEVICE, simNumber: 2 }],
  ['resending', { onUncertain: 'resend' }],
  ['data', { textMessage: undefined, dataMessage: { data: 'AAECAw==', port: 1234 } }],
  ['many recipients', { phoneNumbers: [NUMBER, '+447400123457', '+447400123458'] }],
])('a message with %s is not sent before its approval', async (_, body) => {
  const id = await sent(body)
  await correctStoredTimes(relay.database, HOUR_MS)
  expect(await dispatched(LATER)).toEqual([])
  expect(await findDevicesWithWork(relay.database, 'relay', LATER)).toEqual([])
  expect((await show(id)).waiting).toMatchObject({ reason: 'approval' })
})

test('a repeated request, a cancel and a refusal send no message', async () => {
  const headers = { 'idempotency-key': 'once' }
  const { json: first } = await send({}, headers)
  const again = await send({}, headers)
  expect(again.json).toMatchObject({ id: first.id, approval: { state: 'pending' } })
  const cancelled = await relay.api('DELETE', `/messages/${first.id}`, { auth: `Bearer ${key}` })
  expect(cancelled.json).toMatchObject({ state: 'Cancelled' })
  expect(cancelled.json.approval).toBeUndefined()
  expect(await pending()).toEqual([])
  const late = await decide(first.id, 'approve')
  expect([late.status, late.json.message]).toEqual([
    409,
    'The message is Cancelled and can no longer be approved or rejected',
  ])
  const refused = await sent()
  await decide(refused, 'refuse')
  expect((await decide(refused, 'approve')).status).toBe(409)
  expect(await dispatched(LATER)).toEqual([])
})

test('a scheduled message keeps its time after the approval', async () => {
  const at = new Date(Date.now() + HOUR_MS)
  const id = await sent({ scheduleAt: at.toISOString() })
  expect((await decide(id, 'approve')).json.waiting).toMatchObject({ reason: 'scheduled' })
  expect(await dispatched(clock.now())).toEqual([])
  expect(await dispatched(new Date(at.getTime() + 1000))).toEqual([id])
})

test('a refused message fails with its reason, and the timeline names who decided', async () => {
  const id = await sent({ phoneNumbers: [NUMBER, '+447400123457'] })
  const { status, json } = await decide(id, 'refuse')
  expect([status, json.state, json.approval.state]).toEqual([200, 'Failed', 'refused'])
  expect(json.recipients).toMatchObject(Array(2).fill({ state: 'Failed', error: 'rejected by a person' }))
  const { entries } = (await relay.api('GET', `/messages/${id}/timeline`)).json
  expect(entries.map(({ kind, code, text }: Record<string, string>) => [kind, code, text]).slice(0, 4)).toEqual([
    ['accepted', undefined, 'accepted for 2 recipients and stored'],
    ['held', undefined, expect.stringMatching(/^held for approval until 20/)],
    ['refused', undefined, `rejected by ${relay.account.username}`],
    ['failed', 'approval_refused', 'rejected by a person'],
  ])
})

test('the timeline shows whether a message is pending or approved', async () => {
  const id = await sent()
  const kinds = async () =>
    (await relay.api('GET', `/messages/${id}/timeline`)).json.entries.map(({ kind }: { kind: string }) => kind)
  expect(await kinds()).toEqual(['accepted', 'held', 'waiting'])
  await decide(id, 'approve')
  expect((await kinds()).slice(0, 3)).toEqual(['accepted', 'held', 'approved'])
})

test('a repeated decision gets the present state, and the opposite decision gets 409', async () => {
  const id = await sent()
  const first = await decide(id, 'approve')
  const again = await decide(id, 'approve')
  expect([again.status, again.json.approval]).toEqual([200, first.json.approval])
  const opposite = await decide(id, 'refuse')
  expect([opposite.status, opposite.json.message]).toEqual([
    409,
    `The message was already approved by ${relay.account.username}`,
  ])
  expect((await decide('unknown', 'approve')).status).toBe(404)
  const other = await relay.addAccount()
  expect((await decide(await sent(), 'approve', other.basic)).status).toBe(404)
})

test('a message that needs no approval cannot be approved', async () => {
  const { json } = await relay.api('POST', '/messages', { body: { recipient: NUMBER, message: 'hello' } })
  const { status, json: problem } = await decide(json.id, 'approve')
  expect([status, problem.message]).toEqual([409, 'The message needs no approval'])
  expect(json.approval).toBeUndefined()
})

test('a message that nobody approves in time fails with its reason, even if it has a shorter ttl', async () => {
  // The job of the running relay may end the message at the same time as this test.
  const [day, short] = [await sent(), await sent({ ttl: 60 })]
  expect((await show(short)).approval.until).toBe((await show(short)).validUntil)
  clock.aheadMs = 61_000
  expect((await decide(short, 'approve')).status).toBe(409)
  expect(await expireMessages({ ...relay, clock })).toBe(0)
  await endUnapproved({ ...relay, clock })
  await expect
    .poll(() => show(short))
    .toMatchObject({
      state: 'Failed',
      approval: { state: 'expired' },
      recipients: [{ error: 'not approved in time' }],
    })
  expect(await pending()).toEqual([day])
  clock.aheadMs = 24 * HOUR_MS + 1000
  expect((await decide(day, 'approve')).json.message).toContain('has passed')
  await endUnapproved({ ...relay, clock })
  await expect.poll(() => show(day)).toMatchObject({ state: 'Failed', approval: { state: 'expired' } })
  expect(await dispatched(LATER)).toEqual([])
})

test('an approved message expires like any other message', async () => {
  const id = await sent({ ttl: 60 })
  await decide(id, 'approve')
  clock.aheadMs = 61_000
  expect(await expireMessages({ ...relay, clock })).toBe(1)
  expect(await show(id)).toMatchObject({ state: 'Failed', recipients: [{ error: 'TTL expired' }] })
})

test('an encrypted message is refused, because nobody could read it', async () => {
  const field = `$aes-256-cbc/pbkdf2-sha1$i=1000$${Buffer.alloc(16).toString('base64')}$${Buffer.alloc(16).toString('base64')}`
  const { status, json } = await send({ phoneNumbers: [field], textMessage: { text: field }, isEncrypted: true })
  expect([status, json.reason]).toEqual([403, 'key_approval'])
})

test('a held message counts towards the daily limit of its key', async () => {
  const limited = await relay.createKey({ limits: { approval: 'required', recipientsPerDay: 1 } })
  const auth = `Bearer ${limited}`
  const body = { recipient: NUMBER, message: 'hello' }
  expect((await relay.api('POST', '/messages', { auth, body })).status).toBe(202)
  expect((await relay.api('POST', '/messages', { auth, body })).status).toBe(429)
})

test('a key that needs approval cannot have a scope with which it could avoid the approval', async () => {
  for (const scope of ['all:any', 'messages:approve', 'webhooks:write', 'devices:write', 'keys:manage']) {
    const body = { name: 'bot', scopes: ['messages:send', scope], limits: { approval: 'required' } }
    const { status, json } = await relay.api('POST', '/keys', { body })
    expect([scope, status]).toEqual([scope, 400])
    expect(json.message).toContain(scope)
  }
  const { json: plain } = await relay.api('POST', '/keys', { body: { name: 'bot', scopes: ['messages:approve'] } })
  const change = await relay.api('PATCH', `/keys/${plain.id}`, { body: { limits: { approval: 'required' } } })
  expect(change.status).toBe(400)
})

test('only a key whose scopes name messages:approve can approve, and its name is recorded', async () => {
  const id = await sent()
  const everything = await relay.createKey({ scopes: ['all:any'] })
  expect((await decide(id, 'approve', `Bearer ${everything}`)).status).toBe(403)
  const approver = await relay.createKey({ scopes: ['messages:approve'] })
  const { status, json } = await decide(id, 'approve', `Bearer ${approver}`)
  expect([status, json.approval.decidedBy]).toEqual([200, 'API key alerts'])
})

test('neither a key that needs approval nor its token can approve, even if the database gives the key this scope', async () => {
  const id = await sent()
  expect((await decide(id, 'approve', `Bearer ${key}`)).status).toBe(403)
  const { status } = await relay.api('POST', '/auth/token', {
    auth: `Bearer ${key}`,
    body: { scopes: ['messages:approve'] },
  })
  expect(status).toBe(403)
  // Only an administrator of the database could write such a row.
  const { json: created } = await relay.api('POST', '/keys', {
    body: { name: 'approver', scopes: ['messages:approve', 'messages:send', 'tokens:manage'] },
  })
  await relay.database.apiKey.update({ where: { id: created.id }, data: { limits: { approval: 'required' } } })
  const { json: pair } = await relay.api('POST', '/auth/token', {
    auth: `Bearer ${created.key}`,
    body: { scopes: ['messages:approve'] },
  })
  for (const secret of [created.key, pair.access_token]) {
    const { status, json } = await decide(id, 'approve', `Bearer ${secret}`)
    expect([status, json.message]).toEqual([
      403,
      'Messages of API key "approver" need approval, so this key may not approve messages',
    ])
  }
  expect(await pending()).toEqual([id])
})

const alert = {
  ...{ status: 'firing', startsAt: '2026-03-01T12:00:00Z', endsAt: '0001-01-01T00:00:00Z' },
  ...{ generatorURL: 'http://a.example', fingerprint: 'f' },
}

test('a message sent with a token of the key, or through an interface of another product, is held', async () => {
  const { json: pair } = await relay.api('POST', '/auth/token', {
    auth: `Bearer ${key}`,
    body: { scopes: ['messages:send'] },
  })
  const auth = `Bearer ${pair.access_token}`
  await relay.api('POST', '/messages', { auth, body: { recipient: NUMBER, message: 'by token' } })
  const query = new URLSearchParams({ access_token: key, to: NUMBER, message: 'SMSEagle' })
  await relay.request('GET', `/http_api/send_sms?${query}`, { auth: null })
  const kannel = new URLSearchParams({ username: 'any', password: key, to: NUMBER, text: 'Kannel' })
  await relay.request('GET', `/cgi-bin/sendsms?${kannel}`, { auth: null })
  await relay.request('POST', '/api/v1/sms/send', {
    auth: null,
    headers: { 'x-api-key': key },
    body: { to: NUMBER, body: 'plain' },
  })
  await relay.request('POST', '/hooks/alertmanager?to=%2B447400123456', {
    auth: `Bearer ${key}`,
    body: {
      ...{ version: '4', groupKey: 'k', status: 'firing', receiver: 'sms', externalURL: 'http://a.example' },
      ...{ groupLabels: {}, commonLabels: {}, commonAnnotations: {}, truncatedAlerts: 0 },
      alerts: [{ ...alert, labels: { alertname: 'Down' }, annotations: {} }],
    },
  })
  const messages = await relay.accepted()
  expect(messages).toHaveLength(5)
  for (const message of messages) expect(message['approval']).toMatchObject({ state: 'pending' })
  expect(await dispatched(LATER)).toEqual([])
})

test('live events report a held message and its approval', async () => {
  const stream = await readEventStream(`${relay.url}/3rdparty/v1/events?kinds=message.created,message.changed`, {
    authorization: relay.account.basic,
  })
  const id = await sent()
  await decide(id, 'approve')
  expect(await stream.next('message.created')).toMatchObject({ data: { id } })
  expect(await stream.next('message.changed')).toMatchObject({ data: { id, state: 'Pending' } })
  await stream.close()
})

test('conversations show why a held message waits', async () => {
  await sent()
  const { json: list } = await relay.api('GET', '/conversations')
  expect(list).toMatchObject([{ number: NUMBER, lastWaiting: { reason: 'approval' } }])
  const { json: entries } = await relay.api('GET', `/conversations/${encodeURIComponent(NUMBER)}`)
  expect(entries).toMatchObject([{ waiting: { reason: 'approval' } }])
})

test('a held message fails when its device is deleted', async () => {
  const deviceId = 'e'.repeat(21)
  const lease = { leaseUntil: new Date('2100-01-01') }
  await relay.database.device.create({ data: { id: deviceId, accountId: relay.account.id, name: 'old', ...lease } })
  const id = await sent({ deviceId })
  expect((await relay.api('DELETE', `/devices/${deviceId}`)).status).toBe(204)
  expect(await show(id)).toMatchObject({ state: 'Failed' })
  expect((await show(id)).approval).toBeUndefined()
  expect((await decide(id, 'approve')).status).toBe(409)
})
