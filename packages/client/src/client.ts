import {
  type ApiRequest,
  type CallOptions,
  Transport,
  type TransportAnswer,
  type TransportOptions,
} from './http/transport.ts'
import { type FollowOptions, followEvents, type LiveEvent } from './live/live-events.ts'
import type { LogEntry, operations, Settings, SettingsChange, TokenRequest, TokenResponse } from './openapi.ts'
import { Devices } from './resources/devices.ts'
import { Conversations, Inbox } from './resources/inbox.ts'
import { Messages } from './resources/messages.ts'
import { Webhooks } from './resources/webhooks.ts'

export type SmsGatewayOptions = TransportOptions

type LogsQuery = NonNullable<operations['getLogs']['parameters']['query']>

/** The HTTP API of one gateway or relay, with the credentials of one account. */
export class SmsGateway {
  readonly messages: Messages
  readonly inbox: Inbox
  readonly conversations: Conversations
  readonly devices: Devices
  readonly webhooks: Webhooks
  readonly #transport: Transport

  constructor(options: SmsGatewayOptions) {
    this.#transport = new Transport(options)
    this.messages = new Messages(this.#transport)
    this.inbox = new Inbox(this.#transport)
    this.conversations = new Conversations(this.#transport)
    this.devices = new Devices(this.#transport)
    this.webhooks = new Webhooks(this.#transport)
  }

  /**
   * Yields the changes of the account, and ends without an error when the signal aborts. After an interruption,
   * continues after the last change.
   */
  events(options?: FollowOptions): AsyncGenerator<LiveEvent, void, undefined> {
    return followEvents(this.#transport, options)
  }

  async settings(options?: CallOptions): Promise<Settings> {
    return (await this.#transport.send<Settings>({ method: 'GET', path: '/settings', ...options })).body
  }

  /** Changes the given settings and keeps the others. `null` resets a setting. */
  async changeSettings(change: SettingsChange, options?: CallOptions): Promise<Settings> {
    return (await this.#transport.send<Settings>({ method: 'PATCH', path: '/settings', body: change, ...options })).body
  }

  /** Lists log entries, newest first, at most 1000. */
  async logs(query?: LogsQuery, options?: CallOptions): Promise<LogEntry[]> {
    return (await this.#transport.send<LogEntry[]>({ method: 'GET', path: '/logs', query, ...options })).body
  }

  /** Issues a token with the given scopes. Not available in Local Server mode. */
  async issueToken(body: TokenRequest, options?: CallOptions): Promise<TokenResponse> {
    return (await this.#transport.send<TokenResponse>({ method: 'POST', path: '/auth/token', body, ...options })).body
  }

  /** Sends any other request of the API, with credentials, time limit and retries. */
  request<Body>(request: ApiRequest): Promise<TransportAnswer<Body>> {
    return this.#transport.send<Body>(request)
  }
}
