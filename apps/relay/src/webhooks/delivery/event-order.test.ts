import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { enqueueEvents } from '../outbox/enqueue-events.ts'
import { localTimeOf } from '../outbox/local-time.ts'
import type { OutboundEvent } from '../outbox/outbox-event.ts'
import { deliveryWorld, untilPasses } from '../testing/delivery-world.ts'
import { answerWith, type TestReceiver, type WebhookArrival } from '../testing/test-receiver.ts'
import { AttemptRecorder } from './attempt-recorder.ts'

const world = deliveryWorld()
const { receivers } = world

const facts = (cmdId: string) => ({
  ...{ deviceId: 'd1', cmdId, messageId: cmdId, recipient: '+1', sender: null, simNumber: 1 },
  at: localTimeOf('2026-03-01T15:46:11+07:00'),
})
const sent = (cmdId: string): OutboundEvent => ({ event: 'sms:sent', ...facts(cmdId), partsCount: 1 })
const follows = { event: 'sms:sent' } as const
const delivered = (cmdId: string): OutboundEvent => ({ event: 'sms:delivered', ...facts(cmdId), follows })

const enqueue = (...events: OutboundEvent[]) =>
  world.database.$transaction((statements) => enqueueEvents(statements, 'a1', events))

const nameOf = ({ body }: WebhookArrival) => {
  const { event, payload } = JSON.parse(body)
  return `${event} ${payload.messageId}`
}
const received = ({ requests }: TestReceiver) => requests.map(nameOf)

const quiet = {
  log: { warn: () => undefined, error: () => undefined },
  logbook: { write: () => undefined },
}

/** Returns one successful attempt for each `sms:sent` that has no attempt. */
async function succeeded() {
  const result = { url: '', address: undefined, status: 200, error: undefined, excerpt: undefined }
  const attempt = { ...result, startedAt: new Date(), durationMs: 1, state: 'delivered', pauseMs: 0 } as const
  const where = { tries: 0, event: 'sms:sent' }
  const rows = await world.database.webhookDelivery.findMany({ where, orderBy: { key: 'asc' } })
  return rows.map(({ key, version, event }) => ({ ...attempt, key, version, event }))
}

/** Answers `sms:sent` of `m1` when the test releases it, and every other event with 200 at once. */
function slowForSent(status = 200) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const answer = async (response: Parameters<ReturnType<typeof answerWith>>[0], request: WebhookArrival) => {
    if (nameOf(request) === 'sms:sent m1') await promise
    response.statusCode = nameOf(request) === 'sms:sent m1' ? status : 200
    response.end()
  }
  return { answer, release: resolve }
}

test.each([[200], [500]])(
  'sms:delivered is sent after the response %d to sms:sent, even if different workers send the two events',
  async (status) => {
    const slow = slowForSent(status)
    const receiver = await receivers.start(slow.answer)
    await world.webhook('w2', receiver.url, 'sms:delivered')
    await world.webhook('w1', receiver.url, 'sms:sent')
    for (let count = 0; count < 2; count++) world.worker()
    await enqueue(sent('m1'))
    await enqueue(delivered('m1'), sent('m2'), delivered('m2'))
    // Events of other messages are not delayed.
    await untilPasses(() => expect(received(receiver)).toContain('sms:delivered m2'))
    await sleep(500)
    expect(received(receiver)).not.toContain('sms:delivered m1')
    slow.release()
    await untilPasses(() => expect(received(receiver)).toContain('sms:delivered m1'))
    for (const message of ['m1', 'm2'])
      expect(received(receiver).indexOf(`sms:sent ${message}`)).toBeLessThan(
        received(receiver).indexOf(`sms:delivered ${message}`),
      )
  },
)

test('a delivery that waits for an earlier event is not due until the first attempt of that event has ended', async () => {
  const slow = slowForSent()
  const receiver = await receivers.start(slow.answer)
  await world.webhook('w1', receiver.url, 'sms:sent')
  await world.webhook('w2', receiver.url, 'sms:delivered')
  // Stores the events in one transaction or in two.
  await enqueue(sent('m1'), delivered('m1'), sent('m2'))
  await enqueue(delivered('m2'))
  const isDue = async (cmdId: string) => {
    const rows = await world.database.$queryRaw<{ isDue: boolean }[]>`
      SELECT next_attempt_at <= now() + interval '1 millisecond' AS "isDue" FROM webhook_deliveries
      WHERE event = 'sms:delivered' AND payload ->> 'messageId' = ${cmdId}`
    return rows[0]?.isDue
  }
  expect([await isDue('m1'), await isDue('m2')]).toEqual([false, false])
  world.worker()
  await untilPasses(() => expect(received(receiver)).toContain('sms:delivered m2'))
  expect(await isDue('m1')).toBe(false)
  slow.release()
  await vi.waitFor(() => expect(received(receiver)).toContain('sms:delivered m1'), { timeout: 90_000 })
})

test('an event that is enqueued while the attempt of the previous event is recorded is sent at once', async () => {
  const receiver = await receivers.start()
  await world.webhook('w1', receiver.url, 'sms:sent')
  await world.webhook('w2', receiver.url, 'sms:delivered')
  await enqueue(sent('m1'))
  await world.database.$transaction(async (statements) => {
    await enqueueEvents(statements, 'a1', [delivered('m1')])
    world.worker()
    await untilPasses(() => expect(received(receiver)).toEqual(['sms:sent m1']))
    // The result can be recorded now. The event that waits for this result is not visible yet.
    await sleep(500)
  })
  await vi.waitFor(() => expect(received(receiver)).toEqual(['sms:sent m1', 'sms:delivered m1']), { timeout: 90_000 })
})

test('an event that is enqueued at any moment of this recording is sent at once', async () => {
  const receiver = await receivers.start()
  await world.webhook('w1', receiver.url, 'sms:sent')
  await world.webhook('w2', receiver.url, 'sms:delivered')
  for (let waitMs = 0; waitMs < 20; waitMs++) {
    // The recording first locks many other rows. So when the follower is committed, the recording is already running,
    // but has not yet locked the followed row.
    await enqueue(...Array.from({ length: 499 }, (_, index) => sent(`other${waitMs}-${index}`)), sent(`m${waitMs}`))
    const results = await succeeded()
    const recorder = new AttemptRecorder({ ...quiet, database: world.database })
    await world.database.$transaction(async (statements) => {
      await enqueueEvents(statements, 'a1', [delivered(`m${waitMs}`)])
      for (const result of results) void recorder.record(result)
      await sleep(waitMs)
    })
    await recorder.finish(5_000)
  }
  // A follower that was not released is due in half a minute. A released one can be due slightly after `Date.now()`,
  // because the database stores microseconds.
  const where = { event: 'sms:delivered', nextAttemptAt: { gt: new Date(Date.now() + 1000) } }
  expect(await world.database.webhookDelivery.count({ where })).toBe(0)
})

test('sends two events of one transaction in their order', async () => {
  const receiver = await receivers.start()
  await world.webhook('w2', receiver.url, 'sms:delivered')
  await world.webhook('w1', receiver.url, 'sms:sent')
  world.worker()
  const messages = Array.from({ length: 50 }, (_, index) => `m${index}`)
  await enqueue(...messages.flatMap((message) => [sent(message), delivered(message)]))
  await untilPasses(() => expect(received(receiver)).toHaveLength(100))
  for (const message of messages)
    expect(received(receiver).indexOf(`sms:sent ${message}`)).toBeLessThan(
      received(receiver).indexOf(`sms:delivered ${message}`),
    )
})

test('an event does not wait for an event to a different URL', async () => {
  const slow = slowForSent()
  const receiver = await receivers.start(slow.answer)
  const other = await receivers.start(answerWith(200))
  await world.webhook('w1', receiver.url, 'sms:sent')
  await world.webhook('w2', other.url, 'sms:delivered')
  world.worker()
  await enqueue(sent('m1'), delivered('m1'))
  await untilPasses(() => expect(received(other)).toEqual(['sms:delivered m1']))
  slow.release()
})

test.each([
  ['is paused', { pauses: 1, pausedUntil: new Date('2100-01-01') }],
  ['is disabled', { disabledAt: new Date() }],
])('an event for a webhook that %s delays nothing', async (_, data) => {
  const receiver = await receivers.start()
  await world.webhook('w1', receiver.url, 'sms:sent')
  await world.webhook('w2', receiver.url, 'sms:delivered')
  await world.database.webhook.updateMany({ where: { id: 'w1' }, data })
  world.worker()
  await enqueue(sent('m1'), delivered('m1'))
  await untilPasses(() => expect(received(receiver)).toEqual(['sms:delivered m1']))
})

test('an event waits at most half a minute', async () => {
  const slow = slowForSent()
  const receiver = await receivers.start(slow.answer)
  await world.webhook('w1', receiver.url, 'sms:sent')
  await world.webhook('w2', receiver.url, 'sms:delivered')
  await enqueue(sent('m1'), delivered('m1'))
  await world.database.webhookDelivery.updateMany({ data: { createdAt: new Date(Date.now() - 31_000) } })
  await world.pass(31)
  world.worker()
  await vi.waitFor(() => expect(received(receiver)).toContain('sms:delivered m1'), { timeout: 90_000 })
  slow.release()
})
