import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { unlessUnavailable } from '../../metrics/unless-unavailable.ts'
import type { Database } from '../../store/database.ts'
import { MOST_COUNTED, queueAgeSeconds, queueSize } from './measure-queue-statement.ts'
import type { RecordedAttempt } from './record-attempts-statement.ts'

export interface ObservedAttempt {
  readonly result: RecordedAttempt['state']
  readonly seconds: number
  /** The age of the event at its first attempt. Undefined for later attempts. */
  readonly sinceEventSeconds: number | undefined
}

/** Returns a function that counts attempts. The size and the age of the queue are read at each scrape. */
export function deliveryMetrics(registry: Registry, database: Database): (attempt: ObservedAttempt) => void {
  const registers = [registry]
  const attempts = new Counter({
    name: 'smsgw_webhook_attempts_total',
    help: 'Webhook requests by result; retried means that another attempt follows',
    labelNames: ['result'],
    registers,
  })
  // Without these zeros, Prometheus would not see the first failures after a start as an increase.
  for (const result of ['delivered', 'retried', 'failed']) attempts.inc({ result }, 0)
  const duration = new Histogram({
    name: 'smsgw_webhook_attempt_duration_seconds',
    help: 'Time from the start of a webhook request until its response is complete or the request has failed',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 16],
    registers,
  })
  const latency = new Histogram({
    name: 'smsgw_webhook_latency_seconds',
    help: 'Time from the event to the start of its first webhook request',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3_600],
    registers,
  })
  new Gauge({
    name: 'smsgw_webhook_queue_age_seconds',
    help: 'Age of the oldest due event, not counting events for paused receivers',
    registers,
    async collect() {
      this.set(await unlessUnavailable(() => queueAgeSeconds(database), Number.NaN))
    },
  })
  new Gauge({
    name: 'smsgw_webhook_queue_size',
    help: `Events that wait for a webhook request, including those for failing receivers; at most ${MOST_COUNTED} are counted`,
    registers,
    async collect() {
      this.set(await unlessUnavailable(() => queueSize(database), Number.NaN))
    },
  })
  return ({ result, seconds, sinceEventSeconds }) => {
    attempts.inc({ result: result === 'waiting' ? 'retried' : result })
    duration.observe(seconds)
    if (sinceEventSeconds !== undefined) latency.observe(sinceEventSeconds)
  }
}
