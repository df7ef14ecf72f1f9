import { idParams } from '@smsgw/contract/fields/ids'
import { testWebhookQuery } from '@smsgw/contract/webhooks/webhook'
import type { EmittedEvent } from '@smsgw/contract/webhooks/webhook-event'
import { z } from 'zod'
import type { CoreDeps } from '../../core-deps.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { newId } from '../../random.ts'
import type { Statements } from '../../store/database.ts'
import type { Webhook } from '../../store/generated/client.ts'
import type { Outbox } from '../outbox/enqueue-events.ts'
import { derivedEventId } from '../outbox/event-id.ts'
import { storedPayload } from '../outbox/event-payload.ts'
import { utcTimeOf } from '../outbox/local-time.ts'
import { endPause } from './end-pause-statement.ts'
import { preventDeletion } from './lock-webhook-statement.ts'
import { sampleEvent } from './sample-event.ts'
import { findWebhook, refuseDisabled } from './stored-webhook.ts'

interface TestWebhookDeps extends Pick<CoreDeps, 'database' | 'clock' | 'random'> {
  readonly outbox: Outbox
}

/** Sends a sample of a registered event through the outbox. Each test is a separate event. */
export function testWebhook({ database, clock, random, outbox }: TestWebhookDeps): Endpoint {
  return endpoint({
    params: idParams,
    query: testWebhookQuery,
    answers: { 202: z.strictObject({}) },
    errors: [409],
    async handle({ principal: { accountId }, params: { id }, query }) {
      await database.$transaction(async (statements) => {
        await preventDeletion(statements, accountId, id)
        const webhook = await findWebhook(statements, accountId, id)
        refuseDisabled(webhook)
        if (webhook.heldSince !== null) throw new ApiError(409, 'The webhook is paused: resume it, then test it')
        const deviceId = webhook.deviceId ?? (await someDevice(statements, accountId))
        const occurrence = newId(random)
        const sample = sampleEvent(sampledEvent(webhook, query.event), deviceId, utcTimeOf(clock.now()), occurrence)
        await statements.webhookDelivery.create({
          data: {
            id: derivedEventId([accountId, id, 'test', occurrence]),
            accountId,
            webhookKey: webhook.key,
            deviceId,
            event: sample.event,
            payload: storedPayload(webhook.format, sample),
          },
        })
        await endPause(statements, webhook.key)
      })
      outbox.wake()
      return { status: 202, body: {} }
    },
  })
}

function sampledEvent({ events }: Webhook, requested: string | undefined): EmittedEvent {
  if (requested !== undefined && !events.includes(requested))
    throw new ApiError(409, `The webhook is not registered for ${requested}, but for ${events.join(', ')}`)
  return (requested ?? events[0]) as EmittedEvent
}

async function someDevice(statements: Statements, accountId: string): Promise<string> {
  const device = await statements.device.findFirst({
    where: { accountId, deletedAt: null },
    orderBy: { createdAt: 'asc' },
    select: { id: true },
  })
  return device?.id ?? NO_DEVICE
}

/** An id in the form of a device id that does not belong to a device. */
const NO_DEVICE = 'test_-_-_-_-_-_-_test'
