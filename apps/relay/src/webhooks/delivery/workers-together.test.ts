import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, test, vi } from 'vitest'
import { redeliver } from '../api/redeliver-statement.ts'
import { deliveryWorld, names, untilPasses } from '../testing/delivery-world.ts'
import { idsOf } from '../testing/test-receiver.ts'
import { PRESENCE_CLASS } from './worker-presence.ts'

const world = deliveryWorld()
const { receivers } = world

const countOf = (state: string) => world.database.webhookDelivery.count({ where: { state } })
const webhook = async () => (await world.webhooks())[0]

/** Starts a receiver that answers only after `open` is called. */
async function holdingReceiver() {
  const waiting: ServerResponse[] = []
  let isOpen = false
  const there = await receivers.start((response) => {
    if (isOpen) response.end()
    else waiting.push(response)
  })
  return {
    there,
    open() {
      isOpen = true
      for (const response of waiting.splice(0)) response.end()
    },
  }
}

/** Makes writes fail as if the disk were full, until the returned function is called. */
async function takeDatabaseAway(
  from: 'INSERT ON webhook_attempts' | 'UPDATE ON webhooks',
): Promise<() => Promise<void>> {
  await world.database.$executeRaw`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no room on the disk' USING ERRCODE = 'disk_full'; END $$`
  await world.database.$executeRawUnsafe(
    `CREATE TRIGGER refuse BEFORE ${from} FOR EACH STATEMENT EXECUTE FUNCTION refuse()`,
  )
  return async () => void (await world.database.$executeRaw`DROP FUNCTION refuse CASCADE`)
}

test('many workers share the work: each event is sent once, and no receiver has more than five requests at a time', async () => {
  const slowly = (response: ServerResponse) => void setImmediate(() => response.end())
  const all = await Promise.all(names(4).map(() => receivers.start(slowly)))
  for (const [index, { url }] of all.entries()) await world.webhook(`w${index}`, url)
  for (let worker = 0; worker < 4; worker++) world.worker()
  for (let burst = 0; burst < 10; burst++) await world.enqueue(...names(10, `b${burst}-`))
  await untilPasses(async () => expect(await countOf('delivered')).toBe(400))
  for (const there of all) {
    expect(idsOf(there)).toHaveLength(100)
    expect(new Set(idsOf(there)).size).toBe(100)
    expect(there.mostAtOnce).toBeLessThanOrEqual(5)
  }
})

test('another worker takes over the receivers of a lost worker at once, with the same ids', async () => {
  const { there, open } = await holdingReceiver()
  await world.webhook('w1', there.url)
  await world.enqueue(...names(20))
  world.worker()
  await untilPasses(() => expect(there.requests).toHaveLength(5))
  const firstWorker = (await webhook())?.servedBy
  await world.loseConnections()
  world.worker()
  // The second worker takes over long before the lease would expire.
  await vi.waitFor(() => expect(there.requests.length).toBeGreaterThan(5), { timeout: 90_000 })
  expect((await webhook())?.servedBy).not.toBe(firstWorker)
  open()
  await untilPasses(async () => expect(await countOf('delivered')).toBe(20))
  expect(new Set(idsOf(there))).toEqual(new Set(names(20).map((name) => world.idOf('w1', name))))
})

test('a worker without presence serves no receiver until it is present again', async () => {
  const there = await receivers.start()
  await world.webhook('w1', there.url)
  world.worker()
  for (let round = 0; round < 3; round++) {
    await world.enqueue(...names(5, `r${round}-`))
    await world.loseConnections()
    await untilPasses(async () => expect(await countOf('delivered')).toBe(5 * (round + 1)))
  }
  expect(world.warned).toContain('webhook delivery paused: database connection lost, reconnecting')
})

test('a receiver with an expired lease is taken even if its worker seems to be present', async () => {
  const { there, open } = await holdingReceiver()
  const key = await world.webhook('w1', there.url)
  const frozen = new Client({ connectionString: world.databaseUrl })
  await frozen.connect()
  await frozen.query('SELECT pg_advisory_lock($1, 7)', [PRESENCE_CLASS])
  const leased = (seconds: number) => ({ servedBy: 7, servedUntil: new Date(Date.now() + seconds * 1000) })
  await world.database.webhook.update({ where: { key }, data: leased(3600) })
  open()
  await world.enqueue('m1')
  world.worker()
  const other = await receivers.start()
  await world.webhook('w2', other.url)
  await world.enqueue('m2')
  await untilPasses(() => expect(other.requests).toHaveLength(1))
  expect(there.requests).toEqual([])
  await world.database.webhook.update({ where: { key }, data: leased(-1) })
  await untilPasses(() => expect(there.requests).toHaveLength(2))
  await frozen.end()
})

test('a redelivery requested during a request sends the event once more', async () => {
  const { there, open } = await holdingReceiver()
  await world.webhook('w1', there.url)
  world.worker()
  await world.enqueue('m1')
  await untilPasses(() => expect(there.requests).toHaveLength(1))
  const [before] = await world.deliveries()
  await redeliver(world.database, [before?.key ?? 0n])
  open()
  await untilPasses(async () => expect(await countOf('delivered')).toBe(1))
  await world.settled()
  expect(idsOf(there)).toEqual([before?.id, before?.id])
  expect((await world.deliveries())[0]?.attemptRows).toMatchObject([{ number: 1 }, { number: 2 }])
})

test('the results of attempts wait for transactions that have locked their deliveries', async () => {
  const { there, open } = await holdingReceiver()
  await world.webhook('w1', there.url)
  world.worker()
  await world.enqueue('m1', 'm2')
  await untilPasses(() => expect(there.requests).toHaveLength(2))
  const [locked] = await world.deliveries()
  await world.database.$transaction(async (statements) => {
    await statements.$executeRaw`SELECT FROM webhook_deliveries WHERE key = ${locked?.key} FOR UPDATE`
    open()
    await untilPasses(async () => expect(await countOf('delivered')).toBe(1))
  })
  await untilPasses(async () => expect(await countOf('delivered')).toBe(2))
  expect(there.requests).toHaveLength(2)
})

test('a webhook is called at its changed URL, and failures at the earlier URL are not counted', async () => {
  const dead = await receivers.start((response) => void response.writeHead(500).end())
  const there = await receivers.start()
  const key = await world.webhook('w1', dead.url)
  await world.enqueue(...names(30))
  world.worker()
  await untilPasses(async () => expect((await webhook())?.pauses).toBe(1))
  const moved = { url: there.url, pauses: 0, pausedUntil: null, failingSince: null }
  await world.database.webhook.update({ where: { key }, data: moved })
  await world.pass(10)
  await untilPasses(async () => expect(await countOf('delivered')).toBe(30))
  await world.settled()
  expect(await webhook()).toMatchObject({ pauses: 0, pausedUntil: null, failingSince: null })
})

test('failures at an earlier URL are not counted for the present URL', async () => {
  const waiting: ServerResponse[] = []
  const dead = await receivers.start((response) => void waiting.push(response))
  const there = await receivers.start()
  const key = await world.webhook('w1', dead.url)
  world.worker()
  await world.enqueue('m1')
  await untilPasses(() => expect(waiting).toHaveLength(1))
  await world.database.webhook.update({ where: { key }, data: { url: there.url } })
  for (const response of waiting) response.writeHead(410).end()
  await untilPasses(async () => expect(await world.deliveries()).toMatchObject([{ attempts: 1, state: 'waiting' }]))
  await world.settled()
  expect(await webhook()).toMatchObject({ failingSince: null, disabledAt: null })
})

test.each([
  ['disabled', (key: bigint) => world.database.webhook.update({ where: { key }, data: { disabledAt: new Date() } })],
  ['deleted', (key: bigint) => world.database.webhook.delete({ where: { key } })],
])('a webhook that is %s in the meantime gets only the deliveries that its worker already had', async (_, change) => {
  const { there, open } = await holdingReceiver()
  const other = await receivers.start()
  const key = await world.webhook('w1', there.url)
  await world.webhook('w2', other.url)
  await world.enqueue(...names(100))
  world.worker()
  await untilPasses(() => expect(there.requests).toHaveLength(5))
  await change(key)
  open()
  await untilPasses(() => expect(other.requests).toHaveLength(100))
  await world.settled()
  expect(there.requests.length).toBeLessThanOrEqual(30)
  expect(world.warned).toEqual([])
})

test('a stopping worker finishes running requests and leaves the other deliveries to other workers', async () => {
  const { there, open } = await holdingReceiver()
  await world.webhook('w1', there.url)
  await world.enqueue(...names(20))
  const worker = world.worker()
  await untilPasses(() => expect(there.requests).toHaveLength(5))
  const stopping = worker.stop()
  await world.enqueue('late')
  open()
  await stopping
  expect(there.requests).toHaveLength(5)
  expect(await countOf('delivered')).toBe(5)
  expect(await countOf('waiting')).toBe(16)
  expect((await world.deliveries()).every(({ attempts, state }) => attempts === (state === 'delivered' ? 1 : 0))).toBe(
    true,
  )
  expect(await webhook()).toMatchObject({ servedBy: null, servedUntil: null })
  world.worker()
  await untilPasses(async () => expect(await countOf('delivered')).toBe(21))
  expect(idsOf(there)).toHaveLength(21)
})

test('a long message whose last part arrives while its first part is being delivered is delivered again as a whole', async () => {
  const { there, open } = await holdingReceiver()
  await world.webhook('w1', there.url)
  world.worker()
  await world.enqueue('m1')
  await untilPasses(() => expect(there.requests).toHaveLength(1))
  await world.database.$executeRaw`
    UPDATE webhook_deliveries SET payload = jsonb_set(payload, '{message}', '"the whole"'), state = 'waiting'`
  open()
  await untilPasses(() => expect(there.requests).toHaveLength(2))
  expect(JSON.parse(there.requests[1]?.body ?? '').payload.message).toBe('the whole')
  await untilPasses(async () => expect(await countOf('delivered')).toBe(1))
})

test('nothing is lost or sent twice while the database rejects writes', async () => {
  const { there, open } = await holdingReceiver()
  await world.webhook('w1', there.url)
  world.worker()
  await world.enqueue(...names(3))
  await untilPasses(() => expect(there.requests).toHaveLength(3))
  const giveBack = await takeDatabaseAway('INSERT ON webhook_attempts')
  open()
  await untilPasses(() => expect(world.warned).toContain('could not record webhook results, retrying'))
  // Longer than the time for which other errors are retried.
  await sleep(1_500)
  await giveBack()
  await untilPasses(async () => expect(await countOf('delivered')).toBe(3))
  expect(there.requests).toHaveLength(3)
  expect(world.warned).toEqual(['could not record webhook results, retrying'])
})

test('a worker that cannot read its work because the database is unavailable logs the error once, and continues', async () => {
  const there = await receivers.start()
  await world.webhook('w1', there.url)
  const giveBack = await takeDatabaseAway('UPDATE ON webhooks')
  world.worker()
  await world.enqueue(...names(3))
  await untilPasses(() => expect(world.warned).toContain('webhook delivery paused: database unavailable, retrying'))
  // By now the worker has made some more attempts.
  await sleep(1_000)
  expect(world.warned).toEqual(['webhook delivery paused: database unavailable, retrying'])
  expect(there.requests).toEqual([])
  await giveBack()
  await untilPasses(async () => expect(await countOf('delivered')).toBe(3))
  expect(there.requests).toHaveLength(3)
})

test('an event whose result cannot be recorded is repeated at a limited rate', async () => {
  const there = await receivers.start()
  await world.webhook('w1', there.url)
  await world.database.$executeRaw`ALTER TABLE webhook_attempts RENAME TO elsewhere`
  world.worker()
  await world.enqueue(...names(3))
  await untilPasses(() => expect(world.warned).toContain('webhook results lost because they could not be recorded'))
  const other = await receivers.start()
  await world.webhook('w2', other.url)
  await world.enqueue('m3')
  await untilPasses(() => expect(other.requests).toHaveLength(1))
  await world.database.$executeRaw`ALTER TABLE elsewhere RENAME TO webhook_attempts`
  expect(there.requests).toHaveLength(3)
})

test('an event that is enqueued again during a request is sent once', async () => {
  const there = await receivers.start()
  await world.webhook('w1', there.url)
  world.worker()
  world.worker()
  for (let time = 0; time < 5; time++) await world.enqueue(...names(20))
  await untilPasses(async () => expect(await countOf('delivered')).toBe(20))
  await world.settled()
  expect(idsOf(there)).toHaveLength(20)
})
