import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { systemClock } from '../../clock.ts'
import type { LogbookEntry } from '../../logs/logbook.ts'
import { systemRandom } from '../../random.ts'
import type { Database } from '../../store/database.ts'
import { secretBox } from '../../store/secret-box.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { addressRules } from '../address-rules.ts'
import type { ExchangeLimits } from '../delivery/client/exchange.ts'
import { GuardedClient } from '../delivery/client/guarded-client.ts'
import type { ResolveHost } from '../delivery/client/resolve-host.ts'
import { DeliveryWorker } from '../delivery/delivery-worker.ts'
import { enqueueEvents } from '../outbox/enqueue-events.ts'
import { eventId } from '../outbox/event-id.ts'
import { sealWebhookSecret } from '../webhook-secret.ts'
import { receivedText } from './received-text.ts'
import { testReceivers } from './test-receiver.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='

interface WorkerOptions {
  readonly database?: Database
  readonly limits?: Partial<ExchangeLimits>
  readonly resolve?: ResolveHost
  readonly mostReceivers?: number
}

/**
 * One account with webhooks and events, workers that send the events over loopback, and their receivers. Registers test
 * hooks, so that every test starts with an empty database and without workers.
 */
export function deliveryWorld() {
  const shared = useTestDatabase({ connections: 20 })
  const box = secretBox('the secret of a server that only tests know', systemRandom)
  const receivers = testReceivers()
  const workers: DeliveryWorker[] = []
  const logged: LogbookEntry[] = []
  const warned: string[] = []
  const attempts: string[] = []
  const ages: (number | undefined)[] = []
  const log = openLog('warn', { write: (line: string) => warned.push(JSON.parse(line).msg) })

  beforeEach(async () => {
    await shared.database.account.deleteMany()
    await shared.database.account.create({ data: { id: 'a1', username: 'a1', passwordHash: '' } })
    for (const list of [logged, warned, attempts, ages]) list.length = 0
  })
  afterEach(async () => {
    await receivers.close()
    await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  })

  const webhooks = () => shared.database.webhook.findMany({ orderBy: { key: 'asc' } })

  return {
    receivers,
    /** Entries in the log of the account. */
    logged,
    /** Messages in the log of the relay. */
    warned,
    /** The results of the observed attempts. */
    attempts,
    /** The age of the event at each observed attempt, in seconds. */
    ages,

    get database() {
      return shared.database
    },

    get databaseUrl() {
      return shared.url
    },

    async webhook(id: string, to: string, event = 'sms:received'): Promise<bigint> {
      const secretSealed = sealWebhookSecret(box, SECRET)
      const { key } = await shared.database.webhook.create({
        data: { id, accountId: 'a1', url: to, event, secretSealed },
      })
      return key
    },

    /** Enqueues events and wakes the workers. */
    async enqueue(...messageIds: readonly string[]): Promise<void> {
      await shared.database.$transaction((statements) => enqueueEvents(statements, 'a1', messageIds.map(receivedText)))
      for (const worker of workers) worker.wake()
    },

    idOf: (webhookId: string, messageId: string) => eventId('a1', webhookId, receivedText(messageId)),

    worker({
      database = shared.database,
      limits = {},
      resolve,
      mostReceivers = 100,
    }: WorkerOptions = {}): DeliveryWorker {
      const rules = addressRules({ allowHttp: true, allowNetworks: ['127.0.0.1'], localServerMode: false })
      const worker = new DeliveryWorker({
        ...{ database, url: shared.url },
        box,
        clock: systemClock,
        random: systemRandom,
        client: new GuardedClient(rules, { limits, ...(resolve && { resolve }) }),
        log,
        logbook: { write: (entry) => void logged.push(entry) },
        observe({ result, sinceEventSeconds }) {
          attempts.push(result)
          ages.push(sinceEventSeconds)
        },
        reply: () => Promise.resolve(undefined),
        mostReceivers,
      })
      workers.push(worker)
      return worker
    },

    /** Moves all stored times back, as if this time had passed. */
    async pass(seconds: number): Promise<void> {
      await shared.database.$executeRaw`
        UPDATE webhook_deliveries SET next_attempt_at = next_attempt_at - make_interval(secs => ${seconds})`
      await shared.database.$executeRaw`
        UPDATE webhooks SET paused_until = paused_until - make_interval(secs => ${seconds}),
          failing_since = failing_since - make_interval(secs => ${seconds}),
          failed_at = failed_at - make_interval(secs => ${seconds})`
      for (const worker of workers) worker.wake()
    },

    /** Ends the presence connections of the workers, as if the workers were killed. */
    async loseConnections(): Promise<void> {
      await shared.database.$executeRaw`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'smsgw webhooks' AND datname = current_database()`
    },

    /** Returns all deliveries with their attempts, oldest first. */
    deliveries: () =>
      shared.database.webhookDelivery.findMany({
        orderBy: { key: 'asc' },
        include: { attemptRows: { orderBy: { number: 'asc' } } },
      }),

    webhooks,

    /** Waits until all results are recorded and the receivers are free. */
    settled: () =>
      untilPasses(async () => {
        for (const { servedBy } of await webhooks()) expect(servedBy).toBeNull()
      }),
  }
}

/** Waits until the check passes. */
export function untilPasses(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: 90_000, interval: 20 })
}

export function names(count: number, prefix = 'm'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`)
}
