import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { unlessAway } from '../../metrics/unless-away.ts'
import type { Database } from '../../store/database.ts'
import { queueAgeSeconds } from './queue-age-statement.ts'
import { MOST_COUNTED, queueSize } from './queue-size-statement.ts'
import type { SettledAttempt } from './settle-deliveries-statement.ts'

export interface ObservedAttempt {
  readonly result: SettledAttempt['state']
  readonly seconds: number
  /** Of a first attempt: for how long the event had been there. */
  readonly sinceEventSeconds: number | undefined
}

/** Tells of attempts, and at each scrape how many events wait and for how long the oldest one has. */
export function deliveryMetrics(registry: Registry, database: Database): (attempt: ObservedAttempt) => void {
  const registers = [registry]
  const attempts = new Counter({
    name: 'smsgw_webhook_attempts_total',
    help: 'Requests to receivers by what came of them; retried: there is another one to come',
    labelNames: ['result'],
    registers,
  })
  const duration = new Histogram({
    name: 'smsgw_webhook_attempt_duration_seconds',
    help: 'From the beginning of a request to a receiver to the end of its answer, or to its failure',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 16],
    registers,
  })
  const latency = new Histogram({
    name: 'smsgw_webhook_latency_seconds',
    help: 'From the event to the beginning of its first request to a receiver',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3_600],
    registers,
  })
  new Gauge({
    name: 'smsgw_webhook_queue_age_seconds',
    help: 'How long the event that is due for longest waits; receivers that are left alone for their failures aside',
    registers,
    async collect() {
      this.set(await unlessAway(() => queueAgeSeconds(database)))
    },
  })
  new Gauge({
    name: 'smsgw_webhook_queue_size',
    help: `Events that wait for their next request, those of failing receivers included; at most ${MOST_COUNTED} are counted`,
    registers,
    async collect() {
      this.set(await unlessAway(() => queueSize(database)))
    },
  })
  return ({ result, seconds, sinceEventSeconds }) => {
    attempts.inc({ result: result === 'waiting' ? 'retried' : result })
    duration.observe(seconds)
    if (sinceEventSeconds !== undefined) latency.observe(sinceEventSeconds)
  }
}
