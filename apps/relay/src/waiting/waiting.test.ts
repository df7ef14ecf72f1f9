import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { listConversations } from '../conversations/list-conversations.ts'
import { showConversation } from '../conversations/show-conversation.ts'
import { CONVERSATION_SCOPES } from '../conversations/visibility.ts'
import { route } from '../http/route.ts'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import { getMessage, listMessages } from '../messages/read-messages.ts'
import type { Prisma } from '../store/generated/client.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../testing/test-endpoints.ts'
import { showTimeline } from '../timeline/show-timeline.ts'
import { recordWaiting } from './record-waiting-statement.ts'
import { type WaitingFacts, waitingRecipients } from './waiting-recipients.ts'

const shared = useTestDatabase()
let api: TestEndpoints
beforeAll(async () => {
  api = await testEndpoints([
    route('GET', '/messages', 'messages:list', '', listMessages(shared)),
    route('GET', '/messages/{id}', 'messages:read', '', getMessage(shared)),
    route('GET', '/messages/{id}/timeline', 'messages:read', '', showTimeline(shared)),
    route(
      'GET',
      '/conversations',
      CONVERSATION_SCOPES,
      '',
      listConversations({ ...shared, rules: { defaultRegion: undefined } }),
    ),
    route(
      'GET',
      '/conversations/{number}',
      CONVERSATION_SCOPES,
      '',
      showConversation({ ...shared, rules: { defaultRegion: undefined } }),
    ),
  ])
})
afterAll(() => api.close())
beforeEach(async () => {
  await shared.database.account.create({ data: { id: 'a1', username: 'a1', passwordHash: '' } })
  await shared.database.device.create({ data: { id: device, accountId: 'a1', name: 'attic', ...online(1n) } })
})
afterEach(() => shared.database.account.deleteMany())

const device = 'd'.repeat(21)
const later = new Date('2099-03-01T08:00:00.000Z')
const past = new Date(Date.now() - 3_600_000)
const online = (connEpoch: bigint) => ({
  ...{ relayId: 'r', connEpoch, journalId: 'j1' },
  leaseUntil: new Date(Date.now() + 50_000),
})
const connection = (connEpoch: number): AgentConnection => ({
  ...{ accountId: 'a1', deviceId: device, journalId: 'j1' },
  connEpoch,
})
const report = (told: Partial<WaitingReport>, connEpoch = 1) =>
  recordWaiting(shared.database, connection(connEpoch), { sims: [], messages: [], ...told }, new Date())
const offline = () =>
  shared.database.device.update({ where: { id: device }, data: { relayId: null, leaseUntil: null } })

async function store(
  recipient: Partial<Prisma.RecipientUncheckedCreateInput> = {},
  message: Partial<Prisma.MessageUncheckedCreateInput> = {},
): Promise<void> {
  const one = {
    ...{ cmdId: 'c0', accountId: 'a1', deviceId: device, position: 0, phoneNumber: '+1', dueAt: past },
    ...recipient,
  }
  await shared.database.message.create({
    data: {
      ...{ accountId: 'a1', id: 'm', deviceId: device, createdAt: past, text: 'x' },
      ...(recipient.state !== undefined && { state: recipient.state }),
      ...message,
      recipients: { create: [one] },
    },
  })
}

const held = { state: 'Processed', dispatchedJournal: 'j1', dispatchedAt: past, processedAt: past } as const

async function waiting(): Promise<Record<string, unknown> | undefined> {
  const { json } = await api.request('a1', 'GET', '/messages/m')
  const body = json as { waiting?: Record<string, unknown>; recipients: { waiting?: unknown }[] }
  expect(body.recipients[0]?.waiting).toEqual(body.waiting)
  return body.waiting
}

test('a scheduled message waits for its time', async () => {
  await store({}, { scheduleAt: later })
  expect(await waiting()).toEqual({
    reason: 'scheduled',
    until: later.toISOString(),
    message: `Scheduled for ${later.toISOString()}.`,
  })
})

test.each([['not yet dispatched', {}] as const, ['already dispatched', held] as const])(
  'a message for an offline device waits for the device: %s',
  async (_, recipient) => {
    await store(recipient)
    await report({ messages: [{ reason: 'limit', cmdIds: ['c0'] }] })
    await offline()
    expect(await waiting()).toEqual({
      reason: 'device_offline',
      message: 'Offline: the device attic is not connected. It reports the result when it is connected again.',
    })
  },
)

test('a reported reason is shown on message, list, timeline, conversation and conversation list until the device withdraws the reason', async () => {
  await store(held)
  const until = later.toISOString()
  await report({ messages: [{ reason: 'earlier_outcome_unknown', until, cmdIds: ['other', 'c0'] }] })
  const told = {
    reason: 'earlier_outcome_unknown',
    until,
    message: `The outcome of an earlier message to this number is unknown. This message waits for that outcome, until ${until} at the latest.`,
  }
  const read = async () => ({
    message: await waiting(),
    list: ((await api.request('a1', 'GET', '/messages')).json as { waiting?: unknown }[])[0]?.waiting,
    conversations: ((await api.request('a1', 'GET', '/conversations')).json as { lastWaiting?: unknown }[])[0]
      ?.lastWaiting,
    thread: ((await api.request('a1', 'GET', '/conversations/%2B1')).json as { waiting?: unknown }[])[0]?.waiting,
    entry: (
      (await api.request('a1', 'GET', '/messages/m/timeline')).json as { entries: { kind: string }[] }
    ).entries.find(({ kind }) => kind === 'waiting'),
  })
  expect(await read()).toEqual({
    ...{ message: told, list: told, conversations: told, thread: told },
    entry: expect.objectContaining({ code: told.reason, until, text: told.message, recipient: '+1' }),
  })
  await report({})
  expect(await read()).toEqual({})
})

test('a dispatched message is queued only if the device reports that, and otherwise the device is sending it', async () => {
  await store(held)
  await report({ messages: [{ reason: 'queued', cmdIds: ['other'] }] })
  expect(await waiting()).toBeUndefined()
  await report({ messages: [{ reason: 'queued', cmdIds: ['other', 'c0'] }] })
  expect(await waiting()).toMatchObject({ reason: 'queued' })
})

test('a message that was dispatched to its device, but is not stored there yet, is queued', async () => {
  await store({ dispatchedJournal: 'j1', dispatchedAt: past })
  expect(await waiting()).toMatchObject({ reason: 'queued' })
})

test('the conversation list shows the reason for the number, not for other recipients, and no reason for a sent message', async () => {
  await store({ ...held, state: 'Sent' }, { state: 'Processed' })
  const { key } = await shared.database.message.findFirstOrThrow()
  await shared.database.recipient.create({
    data: {
      ...{ messageKey: key, cmdId: 'c1', accountId: 'a1', deviceId: device, position: 1, phoneNumber: '+2' },
      ...{ ...held, dueAt: past },
    },
  })
  await report({ messages: [{ reason: 'limit', cmdIds: ['c1'] }] })
  const listed = (await api.request('a1', 'GET', '/conversations')).json as { number: string; lastWaiting?: unknown }[]
  expect(new Map(listed.map(({ number, lastWaiting }) => [number, lastWaiting]))).toEqual(
    new Map([
      ['+1', undefined],
      ['+2', expect.objectContaining({ reason: 'limit' })],
    ]),
  )
})

test('a report ends with its connection, and the next connection begins without reasons', async () => {
  await store(held)
  await report({ messages: [{ reason: 'limit', cmdIds: ['c0'] }] })
  await shared.database.device.update({ where: { id: device }, data: online(2n) })
  expect(await waiting()).toBeUndefined()
  await report({ messages: [{ reason: 'limit', cmdIds: ['c0'] }] }, 1)
  expect(await waiting()).toBeUndefined()
  await report({ messages: [{ reason: 'pause', simNumber: 1, cmdIds: ['c0'] }] }, 2)
  expect(await waiting()).toMatchObject({ reason: 'pause', message: 'Pause between messages of SIM 1.' })
})

test('a message that is not yet dispatched waits for the problem of its SIM, or for earlier messages', async () => {
  await store({}, { simNumber: 2 })
  expect(await waiting()).toMatchObject({ reason: 'queued' })
  await report({ sims: [{ simNumber: 2, reason: 'no_network' }], anySim: { reason: 'limit' } })
  expect(await waiting()).toMatchObject({ reason: 'no_network' })
  await shared.database.message.updateMany({ data: { simNumber: null } })
  expect(await waiting()).toMatchObject({ reason: 'limit' })
})

test.each(['limit', 'pause', 'work_hours'] as const)(
  'an urgent message that is not yet dispatched does not wait for %s',
  async (reason) => {
    await store({ priority: 100 }, { priority: 100, simNumber: 2 })
    const until = later.toISOString()
    const ofSims = [
      { simNumber: 1, reason: 'no_network' },
      { simNumber: 2, reason, until },
    ]
    await report({ sims: ofSims, anySim: { reason, until } })
    const read = async () => ({
      message: (await waiting())?.['reason'],
      thread: ((await api.request('a1', 'GET', '/conversations/%2B1')).json as { waiting?: { reason: string } }[])[0]
        ?.waiting?.reason,
    })
    const queued = { message: 'queued', thread: 'queued' }
    expect(await read()).toEqual(queued)
    await shared.database.message.updateMany({ data: { simNumber: null } })
    expect(await read()).toEqual(queued)
    await report({ sims: [{ simNumber: 1, reason: 'no_network' }], anySim: { reason: 'no_network' } })
    expect(await read()).toEqual({ message: 'no_network', thread: 'no_network' })
  },
)

test('for an agent that reports no reasons, only the reasons in its events are shown', async () => {
  await store(held)
  expect(await waiting()).toBeUndefined()
  await shared.database.recipient.updateMany({ data: { errorCode: 'retrying', error: 'tried again: busy' } })
  expect(await waiting()).toMatchObject({ reason: 'retry' })
})

test('an unknown outcome remains the shown reason while its device is offline', async () => {
  await store({ ...held, errorCode: 'outcome_unknown', error: 'outcome unknown: …' })
  await report({ messages: [{ reason: 'outcome_unknown', until: later.toISOString(), cmdIds: ['c0'] }] })
  expect(await waiting()).toMatchObject({ reason: 'outcome_unknown', until: later.toISOString() })
  await offline()
  expect(await waiting()).toEqual(expect.not.objectContaining({ until: expect.anything() }))
  expect(await waiting()).toMatchObject({ reason: 'outcome_unknown' })
})

test('a reason that only a newer agent uses is left out', async () => {
  await store(held)
  await report({ messages: [{ reason: 'full_moon', cmdIds: ['c0'] }] })
  expect(await waiting()).toBeUndefined()
})

test('a finished message has no waiting reason and costs no statement', async () => {
  const ended = ['Sent', 'Delivered', 'Failed', 'Cancelled'].map((state) => ({ state }) as WaitingFacts)
  const none = new Proxy({}, { get: () => expect.unreachable('the database was queried') })
  expect(await waitingRecipients(none as never, 'a1', ended)).toEqual(new Map())
})
