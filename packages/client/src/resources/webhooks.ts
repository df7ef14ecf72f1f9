import { Paginated } from '../http/paginated.ts'
import type { CallOptions, Transport } from '../http/transport.ts'
import { randomKey } from '../http/web-crypto.ts'
import type {
  ChangeWebhookRequest,
  operations,
  RedeliverRequest,
  RegisterWebhookRequest,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryWithRequest,
} from '../openapi.ts'

type DeliveriesQuery = NonNullable<operations['getWebhooksByIdDeliveries']['parameters']['query']>

/** Webhooks and their deliveries. */
export class Webhooks {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async list(options?: CallOptions): Promise<Webhook[]> {
    return (await this.#transport.send<Webhook[]>({ method: 'GET', path: '/webhooks', ...options })).body
  }

  /**
   * Registers a webhook, or replaces the webhook with this id. Only the answer to the request that creates the webhook
   * contains its `secret`. If that answer is lost, the secret must be rotated.
   */
  async register({ id, ...rest }: RegisterWebhookRequest, options?: CallOptions): Promise<Webhook> {
    // Chooses an id, so that a repeated request replaces the webhook instead of adding another webhook.
    const body = { id: id ?? (await randomKey()), ...rest }
    const request = { method: 'POST', path: '/webhooks', body, isIdempotent: true, ...options } as const
    return (await this.#transport.send<Webhook>(request)).body
  }

  /** Changes the given members and keeps the others. */
  async change(id: string, body: ChangeWebhookRequest, options?: CallOptions): Promise<Webhook> {
    return (await this.#transport.send<Webhook>({ method: 'PATCH', path: pathOf(id), body, ...options })).body
  }

  /** Removes a webhook. An unknown id is not an error. */
  async remove(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: 'DELETE', path: pathOf(id), ...options })
  }

  /** Sends a sample event. */
  async test(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: 'POST', path: `${pathOf(id)}/test`, ...options })
  }

  /** Returns the webhook with a new secret. The old secret stays valid for a day. */
  async rotateSecret(id: string, options?: CallOptions): Promise<Webhook> {
    return (await this.#transport.send<Webhook>({ method: 'POST', path: `${pathOf(id)}/secret`, ...options })).body
  }

  /** Lists deliveries, newest first. */
  deliveries(id: string, query: DeliveriesQuery = {}, options?: CallOptions): Paginated<WebhookDelivery> {
    return new Paginated(this.#transport, `${pathOf(id)}/deliveries`, query, options)
  }

  async delivery(id: string, options?: CallOptions): Promise<WebhookDeliveryWithRequest> {
    const path = `/webhooks/deliveries/${encodeURIComponent(id)}`
    return (await this.#transport.send<WebhookDeliveryWithRequest>({ method: 'GET', path, ...options })).body
  }

  /** Sends one event again. */
  async redeliver(deliveryId: string, options?: CallOptions): Promise<void> {
    const path = `/webhooks/deliveries/${encodeURIComponent(deliveryId)}/redeliver`
    await this.#transport.send({ method: 'POST', path, ...options })
  }

  /** Sends the events of a period again. */
  async redeliverPeriod(id: string, body: RedeliverRequest, options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: 'POST', path: `${pathOf(id)}/redeliver`, body, ...options })
  }
}

function pathOf(id: string): string {
  return `/webhooks/${encodeURIComponent(id)}`
}
