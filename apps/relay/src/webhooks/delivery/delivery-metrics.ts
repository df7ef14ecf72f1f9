import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../../store/database.ts'
import { isDatabaseAway } from '../../store/database-away.ts'
import { queueAgeSeconds } from './queue-age-statement.ts'
import type { SettledAttempt } from './settle-deliveries-statement.ts'

/** Counts attempts, and tells at each scrape how long the oldest event has been waiting. */
export function deliveryMetrics(registry: Registry, database: Database): (result: SettledAttempt['state']) => void {
  const attempts = new Counter({
    name: 'smsgw_webhook_attempts_total',
    help: 'Requests to receivers by what came of them; retried: there is another one to come',
    labelNames: ['result'],
    registers: [registry],
  })
  new Gauge({
    name: 'smsgw_webhook_queue_age_seconds',
    help: 'How long the event that is due for longest waits; receivers that are left alone for their failures aside',
    registers: [registry],
    async collect() {
      this.set(await ageOrUnknown(database))
    },
  })
  return (state) => attempts.inc({ result: state === 'waiting' ? 'retried' : state })
}

/** Not a number: the database is away, and the rest of the metrics is wanted all the more. */
async function ageOrUnknown(database: Database): Promise<number> {
  try {
    return await queueAgeSeconds(database)
  } catch (error) {
    if (isDatabaseAway(error)) return Number.NaN
    throw error
  }
}
