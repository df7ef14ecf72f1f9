import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { connectDatabase } from '../../store/database.ts'
import { deliveryWorld } from '../testing/delivery-world.ts'
import { deliveryMetrics } from './delivery-metrics.ts'

const world = deliveryWorld()

async function queueAge(database = world.database): Promise<number> {
  const registry = new Registry()
  deliveryMetrics(registry, database)
  return Number(/^smsgw_webhook_queue_age_seconds (.*)$/m.exec(await registry.metrics())?.[1])
}

test('counts attempts by result', async () => {
  const registry = new Registry()
  const observe = deliveryMetrics(registry, world.database)
  for (const state of ['delivered', 'delivered', 'waiting', 'failed'] as const)
    observe({ result: state, seconds: 0.2, sinceEventSeconds: state === 'waiting' ? 0.03 : undefined })
  const text = await registry.metrics()
  expect(text).toContain('smsgw_webhook_attempts_total{result="delivered"} 2')
  expect(text).toContain('smsgw_webhook_attempts_total{result="retried"} 1')
  expect(text).toContain('smsgw_webhook_attempts_total{result="failed"} 1')
  expect(text).toContain('smsgw_webhook_attempt_duration_seconds_count 4')
  expect(text).toContain('smsgw_webhook_latency_seconds_bucket{le="0.05"} 1')
  expect(text).toContain('smsgw_webhook_queue_size 0')
})

test('the queue age is the age of the oldest delivery that could be sent now', async () => {
  expect(await queueAge()).toBe(0)
  for (const [index, id] of ['waits', 'paused', 'disabled', 'later'].entries()) {
    await world.webhook(id, 'https://example.com', `sms:${id}`)
    await world.database.webhook.updateMany({ where: { id }, data: { event: 'sms:received' } })
    await world.enqueue(`m${index}`)
    await world.database.webhook.updateMany({ where: { id }, data: { event: `sms:${id}` } })
  }
  const age = async (id: string, seconds: number, more: object = {}) => {
    const { key } = await world.database.webhook.update({
      where: { accountId_id: { accountId: 'a1', id } },
      data: more,
    })
    const nextAttemptAt = new Date(Date.now() - seconds * 1000)
    await world.database.webhookDelivery.updateMany({ where: { webhookKey: key }, data: { nextAttemptAt } })
  }
  await age('waits', 100)
  await age('paused', 5_000, { pausedUntil: new Date(Date.now() + 60_000) })
  await age('disabled', 5_000, { disabledAt: new Date() })
  await age('later', -600)
  expect(Math.abs((await queueAge()) - 100)).toBeLessThan(50)
  await age('waits', 100, { disabledAt: new Date() })
  expect(await queueAge()).toBe(0)
})

test('without the database the age is unknown, and other metrics are served', async () => {
  const unavailable = connectDatabase({ url: 'postgresql://nobody@127.0.0.1:1/none', connections: 1 })
  expect(await queueAge(unavailable)).toBeNaN()
  await unavailable.$disconnect()
})
