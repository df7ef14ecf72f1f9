import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { connectDatabase, type Database } from '../../store/database.ts'
import { polling } from '../../store/raw-statements.ts'
import { redeliver } from '../api/redeliver-statement.ts'
import { deliveryWorld, names, untilPasses } from '../testing/delivery-world.ts'
import { answerWith, idsOf } from '../testing/test-receiver.ts'

const world = deliveryWorld()
const { receivers } = world

const states = async () => (await world.deliveries()).map(({ state }) => state)

test('sends an event in its envelope, signed, and records the result', async () => {
  const there = await receivers.start(answerWith(202, {}, 'thank you'))
  await world.webhook('w1', `${there.url}sms`)
  world.worker()
  await world.enqueue('m1')
  await untilPasses(async () => expect(await states()).toEqual(['delivered']))
  const [request] = there.requests
  const id = world.idOf('w1', 'm1')
  expect(JSON.parse(request?.body ?? '')).toEqual({
    deviceId: 'Xk2Zt7vQ9sLrB4mNdP1aW',
    event: 'sms:received',
    id,
    webhookId: 'w1',
    payload: expect.objectContaining({ messageId: 'm1', recipient: null, message: 'Zürich, m1 👍' }),
  })
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    'webhook-id': id,
    'x-timestamp': expect.stringMatching(/^\d{10}$/),
    'x-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    'webhook-signature': expect.stringMatching(/^v1,\S{44}$/),
  })
  const [delivery] = await world.deliveries()
  expect(delivery).toMatchObject({ attempts: 1, finishedAt: expect.any(Date) })
  expect(delivery?.attemptRows).toMatchObject([
    { number: 1, status: 202, error: null, excerpt: 'thank you', address: '127.0.0.1' },
  ])
  expect(world.attempts).toEqual(['delivered'])
})

test('finds events without being woken, and sends an event once when woken twice', async () => {
  const there = await receivers.start()
  await world.webhook('w1', there.url)
  await world.enqueue('m1')
  const worker = world.worker()
  await untilPasses(async () => expect(await states()).toEqual(['delivered']))
  await Promise.all([world.enqueue('m2', 'm3'), world.enqueue('m4')])
  for (let time = 0; time < 5; time++) worker.wake()
  await untilPasses(async () => expect(new Set(await states())).toEqual(new Set(['delivered'])))
  expect(idsOf(there).sort()).toEqual(['m1', 'm2', 'm3', 'm4'].map((name) => world.idOf('w1', name)).sort())
})

test('sends events while another poll of the relay is slow', async () => {
  const there = await receivers.start()
  await world.webhook('w1', there.url)
  const worker = world.worker()
  await untilPasses(() => expect(worker.number).toBeDefined())
  await sleep(100)
  const begunAtMs = performance.now()
  // The worker starts a round in the same turn.
  const slow = polling(world.database).$queryRaw`SELECT pg_sleep(6)::text`
  worker.wake()
  await world.enqueue('m1')
  await untilPasses(async () => expect(await states()).toEqual(['delivered']))
  expect(performance.now() - begunAtMs).toBeLessThan(4_000)
  await slow
})

test('records many results in few statements', async () => {
  const there = await receivers.start()
  await world.webhook('w1', there.url)
  await world.enqueue(...names(200))
  world.worker()
  await untilPasses(async () => expect(new Set(await states())).toEqual(new Set(['delivered'])))
  const [written] = await world.database.$queryRaw<{ goes: number; forMs: number }[]>`
    SELECT count(DISTINCT xmin::text)::int AS goes,
      extract(epoch FROM max(started_at) - min(started_at))::float8 * 1000 AS "forMs" FROM webhook_attempts`
  expect(written?.goes).toBeLessThanOrEqual((written?.forMs ?? 0) / 10 + 3)
})

describe('an attempt that fails', () => {
  test.each([
    ['an error', 500],
    ['a redirect', 302],
    ['a refusal', 404],
  ])('an attempt that fails with %s is repeated under the same id', async (_, status) => {
    const there = await receivers.start((response, __, number) => answerWith(number === 1 ? status : 200)(response))
    await world.webhook('w1', there.url)
    world.worker()
    await world.enqueue('m1')
    await untilPasses(async () => expect((await world.deliveries())[0]?.attempts).toBe(1))
    await world.settled()
    const [first] = await world.deliveries()
    const pauseMs = (first?.nextAttemptAt.getTime() ?? 0) - (first?.attemptRows[0]?.startedAt.getTime() ?? 0)
    expect(first).toMatchObject({ state: 'waiting', finishedAt: null })
    expect(pauseMs).toBeGreaterThanOrEqual(4_000)
    expect((await world.webhooks())[0]?.failingSince).not.toBeNull()
    await world.pass(pauseMs / 1000)
    await untilPasses(async () => expect(await states()).toEqual(['delivered']))
    await world.settled()
    expect(new Set(idsOf(there))).toEqual(new Set([world.idOf('w1', 'm1')]))
    expect((await world.deliveries())[0]?.attemptRows).toMatchObject([
      { number: 1, status },
      { number: 2, status: 200 },
    ])
    expect((await world.webhooks())[0]).toMatchObject({ failingSince: null, failedAt: null })
    expect(world.attempts).toEqual(['waiting', 'delivered'])
  })

  test('an attempt that fails is repeated as often as the account allows, and is then given up with a log entry', async () => {
    await world.database.account.update({ where: { id: 'a1' }, data: { settings: { webhooks: { retry_count: 1 } } } })
    const there = await receivers.start(answerWith(500))
    await world.webhook('w1', there.url)
    world.worker()
    await world.enqueue('m1')
    await untilPasses(() => expect(there.requests).toHaveLength(1))
    await world.settled()
    await world.pass(3600)
    await untilPasses(async () => expect(await states()).toEqual(['failed']))
    await world.settled()
    expect(there.requests).toHaveLength(2)
    expect(world.logged).toMatchObject([
      {
        accountId: 'a1',
        priority: 'WARN',
        message: 'webhook delivery failed permanently: HTTP 500',
        context: { webhookId: 'w1', eventId: world.idOf('w1', 'm1') },
      },
    ])
  })

  test('an attempt that fails is described when there was no response, and is counted further after a redelivery', async () => {
    const gone = await receivers.start()
    await gone.close()
    await world.webhook('w1', gone.url)
    world.worker()
    await world.enqueue('m1')
    await untilPasses(async () => expect((await world.deliveries())[0]?.attempts).toBe(1))
    await receivers.start(undefined, { port: gone.port })
    await redeliver(
      world.database,
      (await world.deliveries()).map(({ key }) => key),
    )
    await untilPasses(async () => expect(await states()).toEqual(['delivered']))
    expect(await world.deliveries()).toMatchObject([
      {
        attempts: 1,
        attemptRows: [
          { number: 1, status: null, error: 'connection refused' },
          { number: 2, status: 200, error: null },
        ],
      },
    ])
  })

  test('an attempt that fails because of an unreadable secret counts as an attempt and affects no other webhook', async () => {
    const there = await receivers.start()
    await world.webhook('w1', there.url)
    await world.webhook('w2', there.url)
    await world.database.webhook.updateMany({ where: { id: 'w1' }, data: { secretSealed: 'v1:rubbish' } })
    world.worker()
    await world.enqueue('m1')
    await untilPasses(async () => expect((await states()).sort()).toEqual(['delivered', 'waiting']))
    await world.settled()
    const broken = (await world.deliveries()).find(({ state }) => state === 'waiting')
    expect(broken?.attemptRows).toMatchObject([{ error: 'internal error of the relay: see its log' }])
    expect(world.warned).toEqual(['webhook request failed with an internal error'])
  })
})

describe('a receiver that requests', () => {
  test.each([429, 503])('a receiver that requests a pause with %d is paused for all events', async (status) => {
    const there = await receivers.start(answerWith(status, { 'retry-after': '1000' }))
    await world.webhook('w1', there.url)
    world.worker()
    await world.enqueue('m1')
    await untilPasses(() => expect(there.requests).toHaveLength(1))
    await world.settled()
    const [{ nextAttemptAt, attempts } = { nextAttemptAt: new Date(0), attempts: 0 }] = await world.deliveries()
    const [webhook] = await world.webhooks()
    expect(attempts).toBe(1)
    expect(nextAttemptAt.getTime() - Date.now()).toBeGreaterThan(600_000)
    expect(webhook?.pausedUntil?.getTime()).toBeGreaterThan(Date.now() + 600_000)
    await world.enqueue('m2')
    await world.pass(500)
    // The remaining pause is so long that it does not end during the test.
    await world.pass(300)
    await world.settled()
    expect(there.requests).toHaveLength(1)
    await world.pass(201)
    await untilPasses(() => expect(there.requests).toHaveLength(3))
  })

  test('a receiver that requests to stop with 410 is disabled, and its pending events are dropped', async () => {
    const there = await receivers.start(answerWith(410))
    await world.webhook('w1', there.url)
    await world.enqueue(...names(20))
    world.worker()
    await untilPasses(async () => expect(new Set(await states())).toEqual(new Set(['dropped'])))
    await world.settled()
    expect(there.requests.length).toBeLessThanOrEqual(5)
    expect(await world.webhooks()).toMatchObject([{ disabledReason: 'the receiver answered 410 Gone' }])
    expect(world.logged).toMatchObject([
      { priority: 'ERROR', message: expect.stringContaining('410 Gone'), context: { webhookId: 'w1' } },
    ])
    const attempted = (await world.deliveries()).filter(({ attemptRows }) => attemptRows.length > 0)
    expect(attempted).toHaveLength(there.requests.length)
  })
})

describe('five days of failures only', () => {
  test('five days with nothing but failures disable a webhook', async () => {
    const there = await receivers.start(answerWith(500))
    await world.webhook('w1', there.url)
    world.worker()
    await world.enqueue('m1')
    await untilPasses(async () => expect((await world.webhooks())[0]?.failingSince).not.toBeNull())
    for (let day = 0; day < 5; day++) {
      await world.settled()
      await world.pass(86_400)
      await untilPasses(() => expect(there.requests).toHaveLength(day + 2))
    }
    await world.settled()
    expect(await world.webhooks()).toMatchObject([
      { disabledReason: 'every attempt for five days failed, the last one with: HTTP 500' },
    ])
    expect(await states()).toEqual(['dropped'])
  })

  test('five days of failures are only counted while something is sent', async () => {
    const there = await receivers.start(answerWith(500))
    await world.webhook('w1', there.url)
    world.worker()
    await world.enqueue('m1')
    await untilPasses(() => expect(there.requests).toHaveLength(1))
    await world.settled()
    await world.pass(30 * 86_400)
    await untilPasses(() => expect(there.requests).toHaveLength(2))
    await world.settled()
    expect(await world.webhooks()).toMatchObject([{ disabledAt: null }])
  })
})

describe('the round trip in which a receiver is taken', () => {
  const log: string[] = []
  let database: Database
  let failsNextRead = false

  beforeEach(() => {
    log.length = 0
    const { query } = Client.prototype
    vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
      const { text = '' } = args[0] as { readonly text?: string }
      const name = text.includes('WITH RECURSIVE present') ? 'take' : text.includes('SELECT due.*') ? 'read' : undefined
      const fails = name === 'read' && failsNextRead
      if (fails) failsNextRead = false
      const answer: unknown = Reflect.apply(query, this, fails ? ['SELECT 1 / 0'] : args)
      if (name !== undefined) log.push(name)
      if (name !== undefined && answer instanceof Promise)
        void answer.then(
          () => log.push(`${name} answered`),
          () => log.push(`${name} failed`),
        )
      return answer
    })
    // A connection that is opened now uses the function above.
    database = connectDatabase({ url: world.databaseUrl, connections: 4 })
  })

  afterEach(async () => {
    vi.restoreAllMocks()
    await database.$disconnect()
  })

  /**
   * Sends an event, waits until its receiver is free, sends another one, and expects these steps. A round that began
   * before the hint takes the receiver without reading, so up to five events are sent.
   */
  async function expectSteps(steps: string, failsRead: boolean): Promise<void> {
    const there = await receivers.start()
    await world.webhook('w1', there.url)
    const worker = world.worker({ database })
    for (let events = 1; events <= 6 && !log.join().includes(steps); events++) {
      log.length = 0
      failsNextRead = failsRead && events > 1
      await world.enqueue(`m${events}`)
      await untilPasses(() => expect(there.requests).toHaveLength(events))
      await untilPasses(async () => expect((await world.webhooks())[0]?.servedBy).toBeNull())
    }
    expect(log.join()).toContain(steps)
    await worker.stop()
  }

  test('also reads the deliveries of the receiver, if it was served recently', async () => {
    await expectSteps('take,read,take answered,read answered', false)
  })

  test('does not lose the receiver if this read fails', async () => {
    await expectSteps('take,read,take answered,read failed,read', true)
  })
})
