import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { deliveryWorld } from '../testing/delivery-world.ts'
import { answerWith, idsOf } from '../testing/test-receiver.ts'

const world = deliveryWorld()
const { receivers } = world
const EVENTS = 120
const BURST = 10

test('healthy receivers get every event under one id, even if other receivers fail and workers are started and stopped', async () => {
  let trespasses = 0
  const trap = createServer((socket) => {
    trespasses += 1
    socket.destroy()
  }).listen(0, '127.0.0.2')
  await new Promise((resolve) => trap.once('listening', resolve))
  const forbidden = `http://127.0.0.2:${(trap.address() as { port: number }).port}/`

  const dead = await receivers.start()
  await dead.close()
  const ill = {
    dead,
    hanging: await receivers.start(() => undefined),
    redirecting: await receivers.start(answerWith(308, { location: forbidden })),
    busy: await receivers.start(answerWith(429, { 'retry-after': '1' })),
    dripping: await receivers.start(async ({ socket }) => {
      while (socket?.writable && socket.write('H')) await sleep(50)
    }),
    closing: await receivers.start((response) => void response.destroy()),
  }
  for (const [name, { url }] of Object.entries(ill)) await world.webhook(name, url)
  await world.webhook('forbidden', forbidden)
  const well = await Promise.all(['w0', 'w1', 'w2', 'w3'].map(() => receivers.start()))
  for (const [index, { url }] of well.entries()) await world.webhook(`w${index}`, url)

  const workers = [world, world, world].map((one) => one.worker({ limits: { totalMs: 5_000 } }))
  for (let event = 0; event < EVENTS; event += BURST) {
    await world.enqueue(...Array.from({ length: BURST }, (_, index) => `m${event + index}`))
    // One worker is stopped cleanly. Sometimes all workers lose their presence connections.
    void workers.shift()?.stop()
    workers.push(world.worker({ limits: { totalMs: 5_000 } }))
    if (event % 30 === 0) await world.loseConnections()
  }
  await vi.waitFor(
    () => {
      for (const one of well) expect(new Set(idsOf(one)).size).toBe(EVENTS)
    },
    { timeout: 90_000, interval: 50 },
  )
  for (const [index, one] of well.entries()) {
    const expected = Array.from({ length: EVENTS }, (_, event) => world.idOf(`w${index}`, `m${event}`))
    expect(new Set(idsOf(one))).toEqual(new Set(expected))
  }
  expect(trespasses).toBe(0)
  expect(ill.redirecting.requests.length).toBeGreaterThan(0)

  trap.close()
})
