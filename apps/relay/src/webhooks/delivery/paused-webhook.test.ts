import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { deliveryWorld, names, untilPasses } from '../testing/delivery-world.ts'
import { answerWith } from '../testing/test-receiver.ts'

const world = deliveryWorld()
const { receivers } = world
const hold = (id: string, heldSince: Date | null) =>
  world.database.webhook.update({ where: { accountId_id: { accountId: 'a1', id } }, data: { heldSince } })

test('only deliveries of the paused webhook wait, and they are sent after it resumes', async () => {
  const [paused, other] = [await receivers.start(answerWith(200)), await receivers.start(answerWith(200))]
  await world.webhook('paused', paused.url)
  await world.webhook('other', other.url)
  await hold('paused', new Date())
  const worker = world.worker()
  await world.enqueue('m1')
  await untilPasses(() => expect(other.requests).toHaveLength(1))
  await world.settled()
  await sleep(500)
  expect(paused.requests).toHaveLength(0)
  await hold('paused', null)
  worker.wake()
  await untilPasses(() => expect(paused.requests).toHaveLength(1))
  await untilPasses(async () => expect(await world.deliveries()).toMatchObject([{ attempts: 1 }, { attempts: 1 }]))
})

test("a user's pause during a delivery stops further deliveries", async () => {
  const paused = Promise.withResolvers<void>()
  const receiver = await receivers.start(async (response) => {
    if (receiver.requests.length > 5) await paused.promise
    response.end()
  })
  await world.webhook('w1', receiver.url)
  world.worker()
  await world.enqueue(...names(200))
  await untilPasses(() => expect(receiver.requests.length).toBeGreaterThan(5))
  await hold('w1', new Date())
  paused.resolve()
  await world.settled()
  const sent = receiver.requests.length
  expect(sent).toBeLessThan(200)
  await sleep(1_000)
  expect(receiver.requests).toHaveLength(sent)
})
