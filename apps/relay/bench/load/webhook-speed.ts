import { setTimeout as sleep } from 'node:timers/promises'
import { openLog } from '@smsgw/daemon/log/log'
import { Agent, request } from 'undici'
import { systemClock } from '../../src/clock.ts'
import { systemRandom } from '../../src/random.ts'
import { connectDatabase, type Database } from '../../src/store/database.ts'
import { secretBox } from '../../src/store/secret-box.ts'
import { addressRules } from '../../src/webhooks/address-rules.ts'
import { GuardedClient } from '../../src/webhooks/delivery/client/guarded-client.ts'
import { DeliveryWorker } from '../../src/webhooks/delivery/delivery-worker.ts'
import { enqueueEvents } from '../../src/webhooks/outbox/enqueue-events.ts'
import { receivedText } from '../../src/webhooks/testing/received-text.ts'
import { newWebhookSecret, sealWebhookSecret } from '../../src/webhooks/webhook-secret.ts'
import type { BenchDatabase } from '../bench-database.ts'
import { median, print } from './figures.ts'
import { startWebhookReceivers, type WebhookReceivers } from './start-webhook-receivers.ts'

/** The number of concurrent requests to one receiver, as in the relay. */
const IN_FLIGHT = 5
const box = secretBox('a secret that only this benchmark uses', systemRandom)

/** Measures the time from the commit of an event to its arrival, one event at a time. */
export async function benchWebhookLatency(bench: BenchDatabase, events: number): Promise<void> {
  await withReceiver(bench, async (database, receivers) => {
    const worker = startWorker(database, bench.url)
    const committedMs: number[] = []
    for (let event = 0; event < events; event++) {
      await database.$transaction((statements) => enqueueEvents(statements, ACCOUNT, [receivedText(`m${event}`)]))
      committedMs.push(now())
      worker.wake()
      await sleep(20 + Math.random() * 20)
    }
    await sleep(1_000)
    const [report] = (await receivers.report()).receivers
    await worker.stop()
    const arrivedMs = Object.values(report?.firstMs ?? {})
    // Events arrive one by one, in order. The first events warm up the code and are not counted.
    const latencies = arrivedMs.map((ms, index) => ms - (committedMs[index] ?? 0)).slice(20)
    if (arrivedMs.length !== events) throw new Error(`${events} events were sent, but ${arrivedMs.length} arrived`)
    latencies.sort((one, other) => one - other)
    print('one event on an idle relay', 'p50 ms', 'p99 ms')
    const at = (share: number) => latencies[Math.floor(latencies.length * share)]?.toFixed(1) ?? ''
    print('from commit to arrival', at(0.5), at(0.99))
  })
}

/** Measures how fast a backlog is delivered to one receiver. Rounds with and without the relay alternate. */
export async function benchWebhookRate(bench: BenchDatabase, deliveries: number, rounds: number): Promise<void> {
  await withReceiver(bench, async (database, receivers) => {
    const rates: { bare: number[]; ours: number[] } = { bare: [], ours: [] }
    for (let round = 0; round <= rounds; round++) {
      const bare = await bareLoop(receivers.urls[0] ?? '', deliveries)
      const ours = await backlog(bench, database, deliveries)
      // The first round warms up the code.
      if (round > 0) rates.bare.push(bare)
      if (round > 0) rates.ours.push(ours)
    }
    print(`a backlog of ${deliveries} for one receiver`, 'a second')
    print('bare loop of undici, 5 at a time', median(rates.bare).toFixed(0))
    print('deliveries, signed and recorded', median(rates.ours).toFixed(0))
    print('ratio', (median(rates.ours) / median(rates.bare)).toFixed(2))
  })
}

async function bareLoop(url: string, count: number): Promise<number> {
  const dispatcher = new Agent({ allowH2: false })
  const body = JSON.stringify({
    deviceId: 'd'.repeat(21),
    event: 'sms:received',
    payload: receivedText('m1'),
    webhookId: 'w1',
  })
  const headers = { 'content-type': 'application/json', 'webhook-id': 'bare' }
  let left = count
  const startMs = performance.now()
  const loop = async () => {
    while (left-- > 0) await (await request(url, { method: 'POST', headers, body, dispatcher })).body.dump()
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, loop))
  const perSecond = (count * 1000) / (performance.now() - startMs)
  await dispatcher.close()
  return perSecond
}

async function backlog({ pool, url }: BenchDatabase, database: Database, count: number): Promise<number> {
  await pool.query(
    `INSERT INTO webhook_deliveries (id, webhook_key, account_id, device_id, event, payload)
     SELECT gen_random_uuid()::text, key, account_id, 'device', event, $1::jsonb FROM webhooks, generate_series(1, $2)`,
    [JSON.stringify(receivedText('m1')), count],
  )
  await pool.query('VACUUM ANALYZE webhook_deliveries')
  const startMs = performance.now()
  const worker = startWorker(database, url)
  const waiting = () => pool.query(`SELECT FROM webhook_deliveries WHERE state = 'waiting' LIMIT 1`)
  while ((await waiting()).rowCount) await sleep(20)
  const perSecond = (count * 1000) / (performance.now() - startMs)
  await worker.stop()
  return perSecond
}

async function withReceiver(
  { url }: BenchDatabase,
  work: (database: Database, receivers: WebhookReceivers) => Promise<void>,
): Promise<void> {
  const receivers = await startWebhookReceivers(['well'])
  const database = connectDatabase({ url, connections: 10 })
  try {
    await database.account.create({ data: { id: ACCOUNT, username: ACCOUNT, passwordHash: '' } })
    const secretSealed = sealWebhookSecret(box, newWebhookSecret(systemRandom))
    const [to = ''] = receivers.urls
    await database.webhook.create({
      data: { id: 'w1', accountId: ACCOUNT, url: to, event: 'sms:received', secretSealed },
    })
    await work(database, receivers)
  } finally {
    await database.$disconnect()
    receivers.stop()
  }
}

function startWorker(database: Database, url: string): DeliveryWorker {
  const rules = addressRules({ allowHttp: true, allowNetworks: ['127.0.0.1'], localServerMode: false })
  return new DeliveryWorker({
    database,
    url,
    box,
    clock: systemClock,
    random: systemRandom,
    client: new GuardedClient(rules),
    log: openLog('warn', process.stderr),
    logbook: { write: () => undefined },
    observe: () => undefined,
    reply: () => Promise.resolve(undefined),
  })
}

const ACCOUNT = 'account'

function now(): number {
  return performance.timeOrigin + performance.now()
}
