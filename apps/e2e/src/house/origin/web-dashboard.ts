// Makes the requests that the server of the published web dashboard makes for its pages.
import type { OriginMessageState, OriginWebhook } from './answer-shapes.ts'
import { goSeconds } from './go-request.ts'
import { OriginApiError, OriginClient, type OriginLogin } from './origin-client.ts'

/** The events that the dashboard shows while a browser follows it. */
export const DASHBOARD_EVENTS = [
  'sms:received',
  'sms:sent',
  'sms:delivered',
  'sms:failed',
  'sms:data-received',
  'mms:received',
  'mms:downloaded',
  'system:ping',
]

/** A device is online if it was seen within this time. */
const ONLINE_WITHIN_MS = 15 * 60_000
const DAY_MS = 86_400_000
const PAGE = 100

export class WebDashboard {
  readonly client: OriginClient
  readonly #callbackUrl: string
  readonly #webhooks: OriginWebhook[] = []

  private constructor(client: OriginClient, callbackUrl: string) {
    this.client = client
    this.#callbackUrl = callbackUrl
  }

  /** Signs in with `GET /devices`. Returns the status that the browser gets if this fails. */
  static async signIn(
    gateway: { readonly apiUrl: string; readonly webhookUrl: string },
    login: OriginLogin,
  ): Promise<WebDashboard | 401 | 502> {
    const client = OriginClient.withPassword(gateway.apiUrl, login)
    try {
      await client.listDevices()
      return new WebDashboard(client, `${gateway.webhookUrl}/api/webhooks/callback/${login.username}`)
    } catch (error) {
      return error instanceof OriginApiError && error.status < 500 ? 401 : 502
    }
  }

  /** Registers a webhook for each event when a browser opens the event stream. */
  async openEvents(): Promise<void> {
    for (const event of DASHBOARD_EVENTS)
      this.#webhooks.push(await this.client.registerWebhook({ url: this.#callbackUrl, event }))
  }

  async closeEvents(): Promise<void> {
    for (const { id } of this.#webhooks.splice(0)) await this.client.deleteWebhook(id)
  }

  /** Counts messages by `X-Total-Count`, with three requests at the same time. */
  async statistics() {
    const count = async (state?: string) =>
      (await this.client.listMessages({ limit: 1, ...(state !== undefined && { state }) })).total
    const [total, pending, failed] = await Promise.all([count(), count('Pending'), count('Failed')])
    const devices = (await this.client.listDevices()).filter(({ deletedAt }) => deletedAt === undefined)
    const online = devices.filter(({ lastSeen }) => Date.now() - Date.parse(lastSeen) < ONLINE_WITHIN_MS)
    return { sent: total - pending - failed, pending, failed, devices: devices.length, online: online.length }
  }

  /** Reads the messages of a day in pages and returns their number. */
  async dayOf(atMs: number): Promise<number> {
    const startMs = Math.floor(atMs / DAY_MS) * DAY_MS
    const range = { from: goSeconds(startMs), to: goSeconds(startMs + DAY_MS) }
    for (let offset = 0; ; ) {
      const { items } = await this.client.listMessages({ ...range, limit: PAGE, offset })
      offset += items.length
      if (items.length < PAGE) return offset
    }
  }

  /** Returns the newest messages with their content, as the page of messages shows them. */
  async messages(): Promise<readonly OriginMessageState[]> {
    const query = { includeContent: true, sort: '-created_at', limit: 50, offset: 0 }
    return (await this.client.listMessages(query)).items
  }
}
