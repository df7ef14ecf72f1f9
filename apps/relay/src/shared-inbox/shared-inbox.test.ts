import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listConversations } from '../conversations/list-conversations.ts'
import { showConversation } from '../conversations/show-conversation.ts'
import { CONVERSATION_SCOPES } from '../conversations/visibility.ts'
import { route } from '../http/route.ts'
import type { Received } from '../inbox/insert-received-statement.ts'
import { storeUploaded } from '../inbox/store-received.ts'
import { systemRandom } from '../random.ts'
import { someoneWaits } from '../testing/someone-waits.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../testing/test-endpoints.ts'
import { changeConversation } from './change-conversation.ts'
import { listAssignees, showDetails, showUnreadTotals } from './conversation-details.ts'
import { deleteUnusedStates } from './delete-unused-states-statement.ts'
import { changeLabel, createLabel, deleteLabel, listLabels } from './labels.ts'
import { createNote, deleteNote } from './notes.ts'

const world = useTestDatabase()
const DEVICE = 'Xk2Zt7vQ9sLrB4mNdP1aW'
const minute = (count: number) => new Date(Date.UTC(2026, 2, 1, 8, count))
const clock = { now: () => minute(59) }
let api: TestEndpoints

beforeAll(async () => {
  const deps = { ...world, rules: { defaultRegion: 'DE' }, clock, random: systemRandom } as const
  api = await testEndpoints([
    route('GET', '/conversations', CONVERSATION_SCOPES, '', listConversations(deps)),
    route('GET', '/conversations/{number}', CONVERSATION_SCOPES, '', showConversation(deps)),
    route('PATCH', '/conversations/{number}', 'conversations:write', '', changeConversation(deps)),
    route('GET', '/conversations/{number}/details', 'conversations:read', '', showDetails(deps)),
    route('POST', '/conversations/{number}/notes', 'conversations:write', '', createNote(deps)),
    route('DELETE', '/conversations/{number}/notes/{id}', 'conversations:write', '', deleteNote(deps)),
    route('GET', '/labels', 'conversations:read', '', listLabels(deps)),
    route('POST', '/labels', 'conversations:write', '', createLabel(deps)),
    route('PATCH', '/labels/{id}', 'conversations:write', '', changeLabel(deps)),
    route('DELETE', '/labels/{id}', 'conversations:write', '', deleteLabel(deps)),
    route('GET', '/assignees', 'conversations:read', '', listAssignees(deps)),
    route('GET', '/unread', 'inbox:list', '', showUnreadTotals(deps)),
  ])
})
afterAll(() => api.close())
beforeEach(async () => {
  for (const id of ['a1', 'a2']) await world.database.account.create({ data: { id, username: id, passwordHash: '' } })
})
afterEach(() => world.database.account.deleteMany())

type Json = ReturnType<typeof JSON.parse>

async function call(method: string, path: string, body?: unknown, authorization = 'a1 all:any'): Promise<Json> {
  const { status, json } = await api.request(authorization, method, path, body)
  return { status, json: json as Json }
}

async function got(path: string, authorization = 'a1 all:any'): Promise<Json> {
  const { status, json } = await call('GET', path, undefined, authorization)
  expect([status, json]).toEqual([200, json])
  return json
}

async function change(number: string, body: object): Promise<Json> {
  const { status, json } = await call('PATCH', `/conversations/${encodeURIComponent(number)}`, body)
  expect([status, json]).toEqual([200, json])
  return json
}

const numbers = async (query = '') => (await got(`/conversations${query}`)).map((one: Json) => one.number)
const unreadOf = async (number: string) =>
  (await got('/conversations')).find((one: Json) => one.number === number)?.unread

let made = 0

/** Stores a message as if a device had received it. */
async function receive(sender: string, at: number, text = 'hello', accountId = 'a1'): Promise<string> {
  const id = `i${made++}`
  const common = { kind: 'received', type: 'SMS', parts: 1, simNumber: 1 } as const
  const received = { ...common, id, sender, text, receivedAt: minute(at).toISOString() } as unknown as Received
  await world.database.$transaction((s) => storeUploaded(s, { id: DEVICE, accountId }, received, minute(at)))
  return id
}

async function send(number: string, at: number, text = 'hello', sentBy?: string): Promise<string> {
  const id = `m${made++}`
  const recipient = {
    cmdId: id,
    accountId: 'a1',
    deviceId: DEVICE,
    position: 0,
    phoneNumber: number,
    dueAt: minute(at),
  }
  const own = { text, state: 'Sent', sentBy: sentBy ?? null } as const
  const message = { accountId: 'a1', id, deviceId: DEVICE, createdAt: minute(at), ...own }
  await world.database.message.create({ data: { ...message, recipients: { create: { ...recipient, state: 'Sent' } } } })
  return id
}

async function newLabel(name: string, color = 'red'): Promise<string> {
  const { status, json } = await call('POST', '/labels', { name, color })
  expect(status).toBe(201)
  return json.id
}

describe('unread messages', () => {
  test('unread messages are counted by conversation and in total, for every login of the account', async () => {
    for (const at of [1, 2, 3]) await receive('+1', at)
    await receive('+2', 4)
    await receive('+9', 4, 'theirs', 'a2')
    expect(await unreadOf('+1')).toBe(3)
    expect(await got('/unread')).toEqual({ messages: 4, conversations: 2 })
    expect(await got('/unread', 'a2 all:any')).toEqual({ messages: 1, conversations: 1 })
    expect(await numbers('?unread=true')).toEqual(['+2', '+1'])
  })

  test('unread messages are marked as read up to a message, received or sent', async () => {
    await receive('+1', 1)
    const second = await receive('+1', 2)
    const answer = await send('+1', 3)
    await receive('+1', 4)
    expect(await change('+1', { readUpTo: second })).toMatchObject({ number: '+1', unread: 2 - 1 })
    const entries = await got('/conversations/+1')
    expect(entries.map((one: Json) => one.isUnread ?? false)).toEqual([true, false, false, false])
    await change('+1', { unread: true })
    expect(await change('+1', { readUpTo: answer })).toMatchObject({ unread: 1 })
    expect(await change('+1', { unread: false })).toMatchObject({ unread: 0 })
    expect(await change('+1', { unread: true })).toMatchObject({ unread: 1 })
    expect(await numbers('?unread=true')).toEqual(['+1'])
    expect(await numbers('?unread=false')).toEqual([])
  })

  test('unread messages stay unread when the id is not a message of this conversation', async () => {
    await receive('+1', 1)
    const other = await receive('+2', 2)
    for (const readUpTo of [other, 'unknown']) {
      const { status, json } = await call('PATCH', '/conversations/+1', { readUpTo })
      expect([status, json.errors]).toEqual([
        400,
        [{ path: 'readUpTo', reason: 'invalid', message: 'is not the id of a message of this conversation' }],
      ])
    }
    expect(await got('/unread')).toEqual({ messages: 2, conversations: 2 })
  })

  test('messages that were read stay read when an agent reports a message again', async () => {
    const id = await receive('+1', 1)
    await change('+1', { readUpTo: id, archived: true })
    made -= 1
    expect(await receive('+1', 1)).toBe(id)
    expect(await change('+1', {})).toMatchObject({ unread: 0, archivedAt: expect.any(String) })
  })

  test('unread messages show whether a message was sent to the number, other than the reply of a webhook', async () => {
    await receive('+1', 1)
    await send('+1', 1, 'We are closed', 'webhook')
    expect(await got('/conversations/+1/details')).toMatchObject({ hasSent: false })
    await send('+1', 2)
    expect(await got('/conversations/+1/details')).toMatchObject({ hasSent: true })
  })

  test('unread messages are not shown to a token that may not list received messages', async () => {
    await receive('+1', 1)
    await send('+1', 2)
    expect(await got('/conversations', 'a1 messages:list')).toEqual([
      expect.not.objectContaining({ unread: expect.anything(), labels: expect.anything() }),
    ])
    expect(await got('/conversations/+1/details', 'a1 conversations:read')).toEqual({
      number: '+1',
      labels: [],
      notes: [],
    })
    for (const [path, scopes] of [
      ['/conversations?unread=true', 'messages:list'],
      ['/conversations?folder=inbox', 'inbox:list'],
      ['/conversations?label=x', 'inbox:list'],
      ['/conversations?assignee=x', 'inbox:list'],
    ])
      expect([path, (await call('GET', path ?? '', undefined, `a1 ${scopes}`)).status]).toEqual([path, 403])
    expect((await call('PATCH', '/conversations/+1', { unread: false }, 'a1 conversations:write')).status).toBe(403)
  })
})

test('messages stored by a relay of the previous release are unread and move their conversation out of the archive', async () => {
  const decided = { accountId: 'a1', archivedAt: minute(1) }
  await world.database.conversationState.create({ data: { ...decided, number: '+1' } })
  await world.database.conversationState.create({ data: { ...decided, number: '+2', blockedAt: minute(1) } })
  for (const sender of ['+1', '+2'])
    await world.database.$executeRawUnsafe(
      `INSERT INTO inbox (account_id, id, device_id, type, sender, created_at, text)
       VALUES ('a1', '${sender}', 'd', 'SMS', '${sender}', now(), 'hello')`,
    )
  expect(await numbers('?unread=true')).toEqual(['+1'])
  expect(await numbers('?folder=inbox')).toEqual(['+1'])
  const states = await world.database.conversationState.findMany({ orderBy: { number: 'asc' } })
  expect(states.map(({ archivedAt }) => archivedAt)).toEqual([null, minute(1)])
})

test('many messages can be stored in one transaction', async () => {
  await world.database.$executeRawUnsafe(
    `INSERT INTO inbox (account_id, id, device_id, type, sender, created_at)
     SELECT 'a1', 'n' || n, 'd', 'SMS', '+' || n, now() FROM generate_series(1, 20000) n`,
  )
  expect(await got('/unread')).toEqual({ messages: 20_000, conversations: 20_000 })
})

describe('the archive', () => {
  test('the archive holds a conversation until a message is received', async () => {
    await receive('+1', 1)
    await receive('+2', 2)
    await send('+3', 3)
    expect(await change('+1', { archived: true })).toMatchObject({ archivedAt: minute(59).toISOString() })
    expect(await numbers()).toEqual(['+3', '+2', '+1'])
    expect(await numbers('?folder=inbox')).toEqual(['+3', '+2'])
    expect(await numbers('?folder=archived')).toEqual(['+1'])
    await send('+1', 4)
    expect(await numbers('?folder=archived')).toEqual(['+1'])
    await receive('+1', 5)
    expect(await numbers('?folder=archived')).toEqual([])
    expect(await numbers('?folder=inbox')).toEqual(['+1', '+3', '+2'])
  })

  test('the archive does not contain a conversation in which a message arrives while it is being archived', async () => {
    const seen = await receive('+1', 1)
    await change('+1', { archived: false })
    const [stored, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const arriving = world.database.$transaction(async (s) => {
      const received = { kind: 'received', type: 'SMS', parts: 1, simNumber: 1, id: 'late', sender: '+1', text: 'wait' }
      await storeUploaded(
        s,
        { id: DEVICE, accountId: 'a1' },
        { ...received, receivedAt: minute(2) } as never,
        minute(2),
      )
      stored.resolve()
      await commit.promise
    })
    await stored.promise
    const archiving = change('+1', { archived: true, readUpTo: seen })
    await someoneWaits(world.database, 1)
    commit.resolve()
    await arriving
    const changed = await archiving
    expect(changed).toMatchObject({ unread: 1 })
    expect(changed).not.toHaveProperty('archivedAt')
    expect(await change('+1', { archived: true, readUpTo: 'late' })).toMatchObject({ archivedAt: expect.any(String) })
  })
})

describe('a blocked number', () => {
  test('a blocked number has messages that are stored, but not unread and not sent to webhooks', async () => {
    const webhook = { id: 'w', url: 'https://example.org', event: 'sms:received', secretSealed: '' }
    await world.database.webhook.create({ data: { ...webhook, accountId: 'a1' } })
    await receive('+1', 1)
    expect(await change('+1', { blocked: true, archived: true })).toMatchObject({ unread: 0 })
    await receive('+1', 2, 'spam')
    await receive('+2', 3)
    expect(await got('/unread')).toEqual({ messages: 1, conversations: 1 })
    expect((await got('/conversations/+1')).map((one: Json) => one.text)).toEqual(['spam', 'hello'])
    expect(await world.database.webhookDelivery.count()).toBe(2)
    expect(await numbers('?folder=blocked')).toEqual(['+1'])
    expect(await numbers('?folder=archived')).toEqual([])
    expect(await numbers('?folder=inbox')).toEqual(['+2'])
    await change('+1', { blocked: false })
    await receive('+1', 4)
    expect(await unreadOf('+1')).toBe(1)
  })

  test('a blocked number can be blocked before its first message, in any spelling', async () => {
    expect(await change('0151 12345678', { blocked: true })).toMatchObject({ number: '+4915112345678' })
    await receive('+4915112345678', 1)
    expect(await got('/unread')).toEqual({ messages: 0, conversations: 0 })
  })
})

describe('labels', () => {
  test('labels can be created, renamed, assigned to conversations, used as a filter and deleted', async () => {
    await receive('+1', 1)
    await receive('+2', 2)
    const [urgent, invoice] = [await newLabel('Urgent'), await newLabel('Invoice', 'blue')]
    expect((await got('/labels')).map((one: Json) => [one.name, one.color])).toEqual([
      ['Invoice', 'blue'],
      ['Urgent', 'red'],
    ])
    expect(await change('+1', { addLabels: [urgent, invoice] })).toMatchObject({ labels: [invoice, urgent] })
    expect(await change('+1', { addLabels: [urgent] })).toMatchObject({ labels: [invoice, urgent] })
    await change('+2', { addLabels: [invoice] })
    expect(await numbers(`?label=${invoice}`)).toEqual(['+2', '+1'])
    expect(await numbers(`?label=${urgent}&q=hello`)).toEqual(['+1'])
    expect((await call('PATCH', `/labels/${urgent}`, { name: 'Now', color: 'orange' })).json).toMatchObject({
      ...{ id: urgent, name: 'Now', color: 'orange' },
    })
    expect(await change('+1', { removeLabels: [invoice] })).toMatchObject({ labels: [urgent] })
    expect((await call('DELETE', `/labels/${urgent}`, undefined, 'a2 all:any')).status).toBe(404)
    expect((await call('DELETE', `/labels/${urgent}`)).status).toBe(204)
    expect((await call('DELETE', `/labels/${urgent}`)).status).toBe(404)
    expect(await got('/conversations/+1/details')).toMatchObject({ labels: [] })
    expect(await numbers(`?label=${urgent}`)).toEqual([])
  })

  test('labels have unique names, and an unknown label changes nothing', async () => {
    await receive('+1', 1)
    const own = await newLabel('Urgent')
    const other = await newLabel('Invoice')
    expect((await call('POST', '/labels', { name: ' Urgent ' })).status).toBe(409)
    expect((await call('PATCH', `/labels/${other}`, { name: 'Urgent' })).status).toBe(409)
    expect((await call('POST', '/labels', { name: 'Urgent', color: 'red' }, 'a2 all:any')).status).toBe(201)
    expect((await call('POST', '/labels', { name: 'x', color: 'mauve' })).status).toBe(400)
    const { status, json } = await call('PATCH', '/conversations/+1', { assignee: 'Ada', addLabels: [own, 'unknown'] })
    expect([status, json.errors[0].path]).toEqual([400, 'addLabels[1]'])
    expect(await got('/conversations/+1/details')).toEqual({
      number: '+1',
      unread: 1,
      hasSent: false,
      labels: [],
      notes: [],
    })
  })
})

test('notes have an author and a time, and are deleted one by one', async () => {
  await receive('+1', 1)
  const { status, json } = await call('POST', '/conversations/+1/notes', { text: ' Refund approved. ' })
  expect([status, json]).toEqual([
    201,
    { id: expect.any(String), text: 'Refund approved.', author: 'a1', createdAt: minute(59).toISOString() },
  ])
  await call('POST', '/conversations/+1/notes', { text: 'Paid.' })
  expect((await got('/conversations'))[0].notes).toBe(2)
  expect((await got('/conversations/+1/details')).notes.map((one: Json) => one.text)).toEqual([
    'Refund approved.',
    'Paid.',
  ])
  const statuses: number[] = []
  for (const caller of ['a2 all:any', undefined, undefined])
    statuses.push((await call('DELETE', `/conversations/+1/notes/${json.id}`, undefined, caller)).status)
  expect(statuses).toEqual([404, 204, 404])
  expect((await got('/conversations/+1/details')).notes).toHaveLength(1)
  expect((await call('POST', '/conversations/+5/notes', { text: 'nobody' })).status).toBe(404)
})

test('a conversation is assigned to a name and can be found by it', async () => {
  await receive('+1', 1)
  await receive('+2', 2)
  expect(await change('+1', { assignee: ' Ada ' })).toMatchObject({ assignee: 'Ada' })
  await change('+2', { assignee: 'Grace' })
  expect(await got('/assignees')).toEqual(['Ada', 'Grace'])
  expect(await got('/assignees', 'a2 all:any')).toEqual([])
  expect(await numbers('?assignee=Ada')).toEqual(['+1'])
  expect(await change('+1', { assignee: '' })).not.toHaveProperty('assignee')
  expect(await numbers('?assignee=Ada')).toEqual([])
})

test('a number without messages can only be blocked', async () => {
  for (const body of [{ archived: true }, { assignee: 'Ada' }, { unread: false }, {}])
    expect((await call('PATCH', '/conversations/+1', body)).status).toBe(404)
  expect(await world.database.conversationState.count()).toBe(0)
})

test('labels, notes and assignee are deleted with the last message, and a block stays', async () => {
  const label = await newLabel('Urgent')
  for (const number of ['+1', '+2', '+3']) {
    await receive(number, 1)
    await change(number, { assignee: 'Ada', addLabels: [label], blocked: number === '+2' })
    await call('POST', `/conversations/${number}/notes`, { text: 'private' })
  }
  expect(await deleteUnusedStates(world.database)).toBe(0)
  await world.database.inboxItem.deleteMany({ where: { sender: { in: ['+1', '+2'] } } })
  expect(await deleteUnusedStates(world.database)).toBe(2)
  const states = await world.database.conversationState.findMany({ orderBy: { number: 'asc' } })
  expect(states).toEqual([
    { accountId: 'a1', number: '+2', archivedAt: null, blockedAt: minute(59), assignee: null },
    expect.objectContaining({ number: '+3', assignee: 'Ada' }),
  ])
  expect(await world.database.conversationLabel.findMany()).toMatchObject([{ number: '+3' }])
  expect(await world.database.conversationNote.findMany()).toMatchObject([{ number: '+3' }])
})

test('filters are correct when more conversations are selected than are read at once', async () => {
  const accountId = 'a1'
  const items = Array.from({ length: 2_100 }, (_, index) => ({
    ...{ accountId, id: `x${index}`, deviceId: DEVICE, type: 'SMS', sender: `+49${index}`, text: 'hello' },
    createdAt: new Date(minute(0).getTime() + index * 1_000),
  }))
  await world.database.inboxItem.createMany({ data: items })
  const states = items.map(({ sender: number }) => ({ accountId, number, archivedAt: minute(59) }))
  await world.database.conversationState.createMany({ data: states })
  await receive('+7', 58)
  expect(await numbers('?folder=inbox')).toEqual(['+7'])
  expect(await numbers('?folder=archived&limit=2')).toEqual(['+492099', '+492098'])
  expect(await numbers('?unread=true&limit=1')).toEqual(['+7'])
  expect(await numbers('?folder=archived&unread=true&limit=2')).toEqual(['+492099', '+492098'])
})
