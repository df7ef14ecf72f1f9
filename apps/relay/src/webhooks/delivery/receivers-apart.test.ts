import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { endPause } from '../api/end-pause-statement.ts'
import { deliveryWorld, names, untilPasses } from '../testing/delivery-world.ts'
import { answerWith, idsOf } from '../testing/test-receiver.ts'

const world = deliveryWorld()
const { receivers } = world

const webhook = async () => (await world.webhooks())[0]
const tried = async () => (await world.deliveries()).filter(({ attempts }) => attempts > 0).length

test('a receiver gets five requests at a time and never more', async () => {
  const waiting: ServerResponse[] = []
  const there = await receivers.start((response) => {
    if (there.requests.length <= 5) waiting.push(response)
    else response.end()
  })
  const other = await receivers.start()
  await world.webhook('w1', there.url)
  await world.webhook('w2', other.url)
  await world.enqueue(...names(40))
  world.worker()
  await untilPasses(() => expect(other.requests).toHaveLength(40))
  await untilPasses(() => expect(there.requests).toHaveLength(5))
  await world.enqueue('later')
  await untilPasses(() => expect(other.requests).toHaveLength(41))
  expect(there.requests).toHaveLength(5)
  for (const response of waiting) response.end()
  await untilPasses(() => expect(there.requests).toHaveLength(41))
  await world.settled()
  expect(there.mostAtOnce).toBe(5)
  expect(new Set(idsOf(there)).size).toBe(41)
})

test('a hanging receiver does not delay other receivers', async () => {
  const hanging = await receivers.start(() => undefined)
  const well = await receivers.start()
  for (let index = 0; index < 30; index++) await world.webhook(`hanging${index}`, hanging.url)
  await world.webhook('well', well.url)
  await world.enqueue(...names(50))
  world.worker()
  await untilPasses(() => expect(well.requests).toHaveLength(50))
  expect(await world.database.webhookDelivery.count({ where: { state: 'delivered' } })).toBeLessThanOrEqual(50)
  expect(hanging.mostAtOnce).toBeLessThanOrEqual(150)
})

test('each receiver is served if there are more than can be served at once', async () => {
  const order: string[] = []
  for (const id of ['w0', 'w1', 'w2', 'w3', 'w4', 'w5']) {
    const there = await receivers.start((response) => {
      order.push(id)
      setTimeout(() => response.end(), 5)
    })
    await world.webhook(id, there.url)
  }
  await world.enqueue(...names(300))
  world.worker({ mostReceivers: 2 })
  await untilPasses(() => expect(new Set(order).size).toBe(6))
  for (const id of ['w0', 'w1']) expect(order.filter((one) => one === id).length).toBeLessThan(300)
})

test.each([
  ['fails', () => receivers.start(answerWith(500))],
  ['hangs', () => receivers.start(() => undefined)],
  ['refuses connections', refusing],
])('a receiver that %s is paused after ten attempts, and other events lose no attempts', async (_, start) => {
  const { url } = await start()
  await world.webhook('w1', url)
  await world.enqueue(...names(100))
  const beganMs = Date.now()
  world.worker({ limits: { totalMs: 200 } })
  await untilPasses(async () => expect((await webhook())?.pauses).toBe(1))
  await world.settled()
  const tries = await tried()
  expect(tries).toBeGreaterThanOrEqual(10)
  expect(tries).toBeLessThan(16)
  expect((await webhook())?.pausedUntil?.getTime()).toBeGreaterThan(beganMs + 20_000)
  // Makes the pause so long that it does not end during the test.
  await world.database.webhook.updateMany({ data: { pausedUntil: new Date(Date.now() + 3_600_000) } })
  await world.enqueue('later')
  await world.pass(20)
  expect(await tried()).toBe(tries)
  expect(world.logged).toMatchObject([
    { message: expect.stringContaining('retrying less often until it recovers'), context: { webhookId: 'w1' } },
  ])
})

test('after a pause, one attempt decides whether a longer pause follows or delivery continues', async () => {
  let isSuccess = false
  const there = await receivers.start((response) => void response.writeHead(isSuccess ? 200 : 500).end())
  await world.webhook('w1', there.url)
  await world.enqueue(...names(60))
  world.worker()
  await untilPasses(async () => expect((await webhook())?.pauses).toBe(1))
  await world.settled()
  const before = there.requests.length
  for (const [index, pauseSeconds] of [60, 120, 240, 480, 600].entries()) {
    const beganMs = Date.now()
    await world.pass(10_000)
    await untilPasses(async () => expect((await webhook())?.pauses).toBe(index + 2))
    await world.settled()
    const pausedUntilMs = (await webhook())?.pausedUntil?.getTime() ?? 0
    expect(pausedUntilMs - beganMs).toBeGreaterThan((pauseSeconds - 25) * 1000)
    expect(pausedUntilMs - Date.now()).toBeLessThan((pauseSeconds + 25) * 1000)
  }
  expect(there.requests).toHaveLength(before + 5)
  isSuccess = true
  await endPause(world.database, (await webhook())?.key ?? 0n)
  // Failed events have separate pauses of up to two hours.
  await world.pass(10_000)
  await untilPasses(async () =>
    expect((await world.deliveries()).every(({ state }) => state === 'delivered')).toBe(true),
  )
  await world.settled()
  expect(await webhook()).toMatchObject({ pauses: 0, failingSince: null })
  expect(world.logged.map(({ message }) => message)).toEqual([
    expect.stringContaining('retrying less often until it recovers'),
    'webhook recovered',
  ])
})

test('after a pause, nothing else is sent before the first attempt has a result', async () => {
  const waiting: ServerResponse[] = []
  const there = await receivers.start((response) => {
    if (there.requests.length === 1) waiting.push(response)
    else response.end()
  })
  const other = await receivers.start()
  await world.webhook('w1', there.url)
  await world.database.webhook.updateMany({ data: { pauses: 1 } })
  await world.webhook('w2', other.url)
  await world.enqueue(...names(20))
  world.worker()
  await untilPasses(() => expect(there.requests).toHaveLength(1))
  await untilPasses(() => expect(other.requests).toHaveLength(20))
  await world.enqueue('later')
  await untilPasses(() => expect(other.requests).toHaveLength(21))
  expect(there.requests).toHaveLength(1)
  for (const response of waiting) response.end()
  await untilPasses(() => expect(there.requests).toHaveLength(21))
})

test('a receiver that sometimes fails is not paused', async () => {
  const there = await receivers.start(
    (response, _, number) => void response.writeHead(number % 2 === 0 ? 500 : 200).end(),
  )
  await world.webhook('w1', there.url)
  await world.enqueue(...names(60))
  world.worker()
  await untilPasses(async () => expect(await tried()).toBe(60))
  await world.settled()
  expect(await webhook()).toMatchObject({ pauses: 0 })
})

/** A port where no server listens. */
async function refusing(): Promise<{ readonly url: string }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return { url: `http://127.0.0.1:${port}/` }
}
