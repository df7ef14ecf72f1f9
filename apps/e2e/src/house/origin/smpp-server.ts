// Makes the requests that the published SMPP server makes for one session of an SMPP client.
import { OriginApiError, OriginClient, type OriginLogin } from './origin-client.ts'

export type BindType = 'transmitter' | 'receiver' | 'transceiver'

/** ESME_ROK, ESME_RBINDFAIL, ESME_RINVPASWD. */
type BindStatus = 0x00 | 0x0d | 0x0e

/** The `message_state` of a query_sm_resp for each state of the gateway. */
const SMPP_STATES: Readonly<Record<string, number>> = {
  Pending: 0,
  Cancelling: 0,
  Processed: 1,
  Sent: 1,
  Delivered: 2,
  Cancelled: 4,
  Failed: 5,
}

export class OriginSmppSession {
  readonly #client: OriginClient
  readonly callbackUrl: string
  #webhookId: string | undefined

  private constructor(client: OriginClient, callbackUrl: string) {
    this.#client = client
    this.callbackUrl = callbackUrl
  }

  /** Checks the credentials with `GET /devices`. A session that receives also registers a webhook. */
  static async bind(
    gateway: { readonly apiUrl: string; readonly webhookUrl: string },
    type: BindType,
    login: OriginLogin,
  ): Promise<OriginSmppSession | Exclude<BindStatus, 0x00>> {
    const client = OriginClient.withPassword(gateway.apiUrl, login, 60_000)
    const id = crypto.randomUUID().slice(0, 8)
    const session = new OriginSmppSession(client, `${gateway.webhookUrl}/api/smpp/v1/webhook?session=${id}`)
    try {
      await client.listDevices()
      if (type !== 'transmitter') await session.#register()
      return session
    } catch (error) {
      return error instanceof OriginApiError && error.status < 500 ? 0x0e : 0x0d
    }
  }

  async #register(): Promise<void> {
    const { id } = await this.#client.registerWebhook({ url: this.callbackUrl, event: 'sms:received' })
    this.#webhookId = id
  }

  /** Returns the message id of submit_sm_resp. */
  async submit(destination: string, text: string, withDeliveryReport: boolean): Promise<string> {
    const message = { phoneNumbers: [destination], textMessage: { text }, withDeliveryReport }
    return (await this.#client.send(message)).id
  }

  /** Returns the `message_state` of query_sm_resp. */
  async query(id: string): Promise<number | undefined> {
    return SMPP_STATES[(await this.#client.getState(id)).state]
  }

  async unbind(): Promise<void> {
    if (this.#webhookId !== undefined) await this.#client.deleteWebhook(this.#webhookId)
    this.#webhookId = undefined
  }
}
