import { openLog } from '@smsgw/daemon/log'
import { systemClock } from '../../clock.ts'
import type { LogbookEntry } from '../../logs/logbook.ts'
import { systemRandom } from '../../random.ts'
import { secretBox } from '../../store/secret-box.ts'
import type { TestDatabase } from '../../testing/test-database.ts'
import { addressRules } from '../address-rules.ts'
import type { ExchangeLimits } from '../delivery/client/exchange.ts'
import { GuardedClient } from '../delivery/client/guarded-client.ts'
import type { ResolveHost } from '../delivery/client/resolve-host.ts'
import { DeliveryWorker } from '../delivery/delivery-worker.ts'
import { enqueueEvents } from '../outbox/enqueue-events.ts'
import { eventId } from '../outbox/event-id.ts'
import { localTime } from '../outbox/local-time.ts'
import type { ReceivedText } from '../outbox/outbox-event.ts'
import { sealWebhookSecret } from '../webhook-secret.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='

export interface WorkerOptions {
  readonly limits?: Partial<ExchangeLimits>
  readonly resolve?: ResolveHost
  readonly mostReceivers?: number
}

/** One account with webhooks and events, and workers that send the events over loopback. */
export async function deliveryWorld({ database, url }: TestDatabase) {
  await database.account.deleteMany()
  await database.account.create({ data: { id: 'a1', username: 'a1', passwordHash: '' } })
  const box = secretBox('the secret of a server that only tests know', systemRandom)
  const workers: DeliveryWorker[] = []
  const logged: LogbookEntry[] = []
  const warned: string[] = []
  const attempts: string[] = []
  const log = openLog('warn', { write: (line: string) => warned.push(JSON.parse(line).msg) })

  return {
    box,
    /** Entries in the log of the account. */
    logged,
    /** Messages in the log of the operator. */
    warned,
    /** The results of the observed attempts. */
    attempts,

    async webhook(id: string, to: string, event = 'sms:received'): Promise<bigint> {
      const secretSealed = sealWebhookSecret(box, SECRET)
      const { key } = await database.webhook.create({ data: { id, accountId: 'a1', url: to, event, secretSealed } })
      return key
    },

    /** Enqueues events and wakes the workers. */
    async enqueue(...messageIds: readonly string[]): Promise<void> {
      await database.$transaction((statements) => enqueueEvents(statements, 'a1', messageIds.map(receivedText)))
      for (const worker of workers) worker.wake()
    },

    idOf: (webhookId: string, messageId: string) => eventId('a1', webhookId, receivedText(messageId)),

    worker({ limits = {}, resolve, mostReceivers = 100 }: WorkerOptions = {}): DeliveryWorker {
      const rules = addressRules({ allowHttp: true, allowNetworks: ['127.0.0.1'], localServerMode: false })
      const worker = new DeliveryWorker({
        database,
        url,
        box,
        clock: systemClock,
        random: systemRandom,
        client: new GuardedClient(rules, { limits, ...(resolve && { resolve }) }),
        log,
        logbook: { write: (entry) => void logged.push(entry) },
        observe: ({ result }) => void attempts.push(result),
        mostReceivers,
      })
      workers.push(worker)
      return worker
    },

    /** Moves all stored times back, as if this time had passed. */
    async pass(seconds: number): Promise<void> {
      await database.$executeRaw`
        UPDATE webhook_deliveries SET next_attempt_at = next_attempt_at - make_interval(secs => ${seconds})`
      await database.$executeRaw`
        UPDATE webhooks SET paused_until = paused_until - make_interval(secs => ${seconds}),
          failing_since = failing_since - make_interval(secs => ${seconds}),
          failed_at = failed_at - make_interval(secs => ${seconds})`
      for (const worker of workers) worker.wake()
    },

    /** Ends the presence connections of the workers, as if they were killed. */
    async loseConnections(): Promise<void> {
      await database.$executeRaw`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'smsgw webhooks' AND datname = current_database()`
    },

    /** Returns all deliveries with their attempts, oldest first. */
    deliveries: () =>
      database.webhookDelivery.findMany({
        orderBy: { key: 'asc' },
        include: { attemptRows: { orderBy: { number: 'asc' } } },
      }),

    webhooks: () => database.webhook.findMany({ orderBy: { key: 'asc' } }),

    async close(): Promise<void> {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}

export type DeliveryWorld = Awaited<ReturnType<typeof deliveryWorld>>

/** An event for a received message. */
export function receivedText(messageId: string): ReceivedText {
  return {
    event: 'sms:received',
    deviceId: 'Xk2Zt7vQ9sLrB4mNdP1aW',
    messageId,
    sender: '+12025550123',
    recipient: null,
    simNumber: 1,
    receivedAt: localTime('2026-03-01T15:46:11+07:00'),
    message: `Zürich, ${messageId} 👍`,
  }
}
