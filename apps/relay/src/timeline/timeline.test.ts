import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { route } from '../http/route.ts'
import type { Prisma } from '../store/generated/client.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../testing/test-endpoints.ts'
import { enqueueEvents } from '../webhooks/outbox/enqueue-events.ts'
import { showTimeline } from './show-timeline.ts'

const shared = useTestDatabase()
let api: TestEndpoints
beforeAll(async () => {
  api = await testEndpoints([route('GET', '/messages/{id}/timeline', 'messages:read', '', showTimeline(shared))])
})
afterAll(() => api.close())
beforeEach(async () => {
  for (const id of ['a1', 'a2']) await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
  await shared.database.device.create({ data: { id: 'd1', accountId: 'a1', name: 'attic' } })
})
afterEach(() => shared.database.account.deleteMany())

const second = (count: number) => new Date(Date.UTC(2026, 2, 1, 8, 0, count))

interface Known {
  readonly message?: Partial<Prisma.MessageUncheckedCreateInput>
  readonly recipient?: Partial<Prisma.RecipientUncheckedCreateInput>
  readonly parts?: readonly Partial<Prisma.PartUncheckedCreateInput>[]
  readonly numbers?: readonly string[]
}

async function store({ message = {}, recipient = {}, parts = [], numbers = ['+1'] }: Known): Promise<void> {
  const recipients = numbers.map((phoneNumber, position) => ({
    ...{ cmdId: `c${position}`, accountId: 'a1', deviceId: 'd1', position, phoneNumber, dueAt: second(0) },
    ...recipient,
    parts: {
      create: position > 0 ? [] : parts.map((part, index) => ({ index: index + 1, result: 'accepted', ...part })),
    },
  }))
  await shared.database.message.create({
    data: {
      accountId: 'a1',
      id: 'm',
      deviceId: 'd1',
      createdAt: second(0),
      text: 'x',
      ...message,
      recipients: { create: recipients },
    },
  })
}

async function entries(): Promise<Record<string, unknown>[]> {
  const { status, json } = await api.request('a1', 'GET', '/messages/m/timeline')
  expect(status).toBe(200)
  return (json as { entries: Record<string, unknown>[] }).entries
}

test('a message delivered in two parts shows each step in the order of time', async () => {
  await store({
    message: { scheduleAt: second(2) },
    recipient: {
      ...{ dispatchedAt: second(2), processedAt: second(3), sentAt: second(5), deliveredAt: second(9) },
      ...{ state: 'Delivered', partsCount: 2, usedSimNumber: 2 },
    },
    parts: [
      { submittedAt: second(4), reference: 7, reportStatus: 0, reportText: 'received', reportedAt: second(9) },
      { submittedAt: second(5), reference: 8, reportStatus: 0x30, reportText: 'busy', reportedAt: second(7) },
    ],
  })
  expect((await entries()).map(({ at, kind, code, text }) => [String(at).slice(17, 19), kind, code, text])).toEqual([
    ['00', 'accepted', undefined, 'accepted for one recipient and stored'],
    ['00', 'scheduled', undefined, 'scheduled for 2026-03-01T08:00:02.000Z'],
    ['02', 'dispatched', undefined, 'sent to the device attic'],
    ['03', 'processed', undefined, 'queued on the device attic'],
    ['04', 'part-accepted', undefined, 'the network accepted part 1 of 2'],
    ['05', 'part-accepted', undefined, 'the network accepted part 2 of 2'],
    ['05', 'sent', undefined, 'sent with SIM 2'],
    ['07', 'part-report', 'TP-ST 0x30', 'delivery report for part 2 of 2: busy'],
    ['09', 'part-report', 'TP-ST 0x00', 'delivery report for part 1 of 2: received'],
    ['09', 'delivered', undefined, 'delivered to the recipient'],
  ])
  expect((await entries())[6]).toMatchObject({ kind: 'sent', simNumber: 2 })
  expect((await entries())[7]).toMatchObject({
    recipient: '+1',
    part: { index: 2, total: 2, reference: 8 },
    advice: 'Nothing to do: the network continues to try and will report again.',
    adviceCode: 'report_pending',
  })
})

test('a refusal shows the code, text and advice of the network, and the failure shows what to do', async () => {
  await store({
    recipient: {
      ...{ processedAt: second(1), failedAt: second(3), state: 'Failed', errorCode: 'refused', partsCount: 1 },
      error: 'The number does not exist. Check it. (CMS 1)',
    },
    parts: [
      {
        ...{ submittedAt: second(2), result: 'refused', resultCode: 'CMS 1' },
        ...{ resultWords: 'The number does not exist.', resultAdvice: 'Check it.' },
      },
    ],
  })
  expect((await entries()).slice(2)).toEqual([
    {
      at: '2026-03-01T08:00:02.000Z',
      kind: 'part-refused',
      recipient: '+1',
      part: { index: 1, total: 1 },
      code: 'CMS 1',
      cause: 'number_not_assigned',
      text: 'The number does not exist.',
      advice: 'Check it.',
      adviceCode: 'check_number',
    },
    {
      at: '2026-03-01T08:00:03.000Z',
      kind: 'failed',
      recipient: '+1',
      code: 'refused',
      cause: 'number_not_assigned',
      text: 'The number does not exist. Check it. (CMS 1)',
      advice: 'The network or the modem permanently refused a part: see the refused part above for the cause.',
      adviceCode: 'refused',
    },
  ])
})

test('a message whose outcome is unknown shows this, and shows that it is not sent again', async () => {
  await store({
    recipient: {
      processedAt: second(1),
      state: 'Processed',
      errorCode: 'outcome_unknown',
      error: 'outcome unknown: …',
    },
    parts: [{ submittedAt: second(2), result: 'unknown', resultCode: 'lost port' }],
  })
  expect((await entries()).slice(2)).toMatchObject(
    [
      { kind: 'part-submitted', code: 'lost port' },
      { at: '2026-03-01T08:00:02.000Z', kind: 'in-doubt', text: 'outcome unknown: …', advice: /not sent again/ },
    ].map((entry) => ('advice' in entry ? { ...entry, advice: expect.stringMatching(entry.advice as RegExp) } : entry)),
  )
})

test('a message that is not yet due waits since its acceptance, so that no step has a future time', async () => {
  const scheduleAt = new Date('2037-01-01T09:00:00.000Z')
  await store({ message: { scheduleAt }, recipient: { dueAt: scheduleAt } })
  expect((await entries()).slice(1)).toMatchObject([
    { kind: 'scheduled' },
    { kind: 'waiting', code: 'scheduled', at: second(0).toISOString(), until: scheduleAt.toISOString() },
  ])
})

test('each recipient has its own steps', async () => {
  await store({ numbers: ['+1', '+2'], recipient: { cancelledAt: second(4), state: 'Cancelled' } })
  expect((await entries()).map(({ kind, recipient }) => [kind, recipient])).toEqual([
    ['accepted', undefined],
    ['cancelled', '+1'],
    ['cancelled', '+2'],
  ])
})

test('shows webhook attempts, including the attempts for a corrected failure', async () => {
  await store({ recipient: { sentAt: second(9), failedAt: second(3), state: 'Sent' } })
  const { database } = shared
  const secret = { secretSealed: '', accountId: 'a1' }
  for (const [id, event, ...others] of [
    ['w1', 'sms:received', 'sms:sent'],
    ['w2', 'sms:failed'],
    ['w3', 'sms:received'],
  ] as const) {
    const events = [event, ...others]
    const url = `https://${id}.example:8443/secret-path`
    await database.webhook.create({ data: { id, event, events, url, ...secret } })
  }
  const common = { deviceId: 'd1', cmdId: 'c0', messageId: 'm', recipient: '+1', sender: null, simNumber: 1 }
  const at = { at: second(3), offsetMinutes: 0 }
  await enqueueEvents(database, 'a1', [
    { event: 'sms:sent', ...common, at, partsCount: 1 },
    { event: 'sms:failed', ...common, at, code: 'submit_unknown', reason: 'x' },
    { event: 'sms:sent', ...common, cmdId: 'of another', at, partsCount: 1 },
  ])
  for (const { key, event } of await database.webhookDelivery.findMany())
    for (const [number, outcome] of [
      [1, { error: 'connection refused' }],
      [2, { status: 200 }],
    ] as const)
      await database.webhookAttempt.create({
        data: {
          deliveryKey: key,
          number,
          durationMs: 1,
          startedAt: second(event === 'sms:sent' ? 9 + number : 3 + number),
          ...outcome,
        },
      })
  const attempts = (await entries()).filter(({ kind }) => kind === 'webhook-attempt')
  expect(attempts.map(({ text }) => text)).toEqual([
    'sms:failed sent to w2.example:8443: connection refused',
    'sms:failed sent to w2.example:8443: HTTP 200',
    'sms:sent sent to w1.example:8443: connection refused',
    'sms:sent sent to w1.example:8443: HTTP 200',
  ])
  expect(attempts[0]).toMatchObject({ webhook: { error: 'connection refused', errorCode: 'connection_refused' } })
  expect(attempts[1]).toMatchObject({ webhook: { webhookId: 'w2', event: 'sms:failed', httpStatus: 200 } })
})

test('answers 404 for an unknown message and for a message of another account', async () => {
  await store({})
  expect((await api.request('a1', 'GET', '/messages/other/timeline')).status).toBe(404)
  expect((await api.request('a2', 'GET', '/messages/m/timeline')).status).toBe(404)
})

test('acceptance is the first entry, even if the clock of the device is slow', async () => {
  await store({
    recipient: { dispatchedAt: second(1), processedAt: second(1), sentAt: second(2), state: 'Sent' },
    parts: [{ submittedAt: second(-3600), reference: 7 }],
  })
  const [first, next] = await entries()
  expect(first).toMatchObject({ kind: 'accepted', at: second(0).toISOString() })
  expect(next).toMatchObject({ kind: 'part-accepted', at: second(0).toISOString() })
})

test('a fast device queues a message after it was sent to it, even if the relay stores this later', async () => {
  await store({
    recipient: { dispatchedAt: second(2), processedAt: second(1), sentAt: second(3), state: 'Sent' },
  })
  expect((await entries()).map(({ kind }) => kind)).toEqual(['accepted', 'dispatched', 'processed', 'sent'])
})
