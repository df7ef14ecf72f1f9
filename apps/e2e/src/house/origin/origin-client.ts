// Replaces the published Go client of SMS Gateway for Android in tests: the same calls with the same paths, queries,
// bodies and header lines, and its strict reading of the answers. It is written from the published description and
// shares no code with the gateway.
import {
  type OriginDevice,
  type OriginIncomingMessage,
  type OriginLogEntry,
  type OriginMessageState,
  type OriginMms,
  type OriginSettings,
  type OriginToken,
  type OriginWebhook,
  originShapes,
} from './answer-shapes.ts'
import { type GoShape, goDecode } from './go-decode.ts'
import { goRequest, goSeconds, goTime } from './go-request.ts'

const { messageState, device, incomingMessage, webhook, token, logEntry, health, settings } = originShapes

/** A send request. Members that are undefined are left out, as with `omitempty`. */
export interface OriginMessage {
  readonly id?: string | undefined
  readonly deviceId?: string
  readonly message?: string
  readonly textMessage?: { readonly text: string }
  readonly dataMessage?: { readonly data: string; readonly port: number }
  readonly mmsMessage?: OriginMms
  readonly phoneNumbers: readonly string[]
  readonly isEncrypted?: true
  readonly [option: string]: unknown
}

type Query = Readonly<Record<string, string | number | boolean>>

/** An answer with a status of 400 or above. The client has no more than the status and the text of the body. */
export class OriginApiError extends Error {
  readonly status: number

  constructor(status: number, body: string) {
    super(`unexpected status code ${status} with body ${body}`)
    this.status = status
  }
}

export class OriginClient {
  readonly #baseUrl: string
  readonly #authorization: string
  readonly #timeoutMs: number | undefined

  constructor(baseUrl: string, authorization: string, timeoutMs?: number) {
    this.#baseUrl = baseUrl
    this.#authorization = authorization
    this.#timeoutMs = timeoutMs
  }

  static withPassword(baseUrl: string, user: OriginLogin, timeoutMs?: number): OriginClient {
    const basic = Buffer.from(`${user.username}:${user.password}`).toString('base64')
    return new OriginClient(baseUrl, `Basic ${basic}`, timeoutMs)
  }

  static withToken(baseUrl: string, accessToken: string): OriginClient {
    return new OriginClient(baseUrl, `Bearer ${accessToken}`)
  }

  /** Without options, the path ends with `?`. */
  send(message: OriginMessage, options: Query = {}): Promise<OriginMessageState> {
    return this.#call('POST', `/messages?${queryOf(options)}`, messageState, message)
  }

  async cancelMessage(id: string): Promise<void> {
    await this.#call('DELETE', `/messages/${encodeURIComponent(id)}`, 'any')
  }

  getState(id: string): Promise<OriginMessageState> {
    return this.#call('GET', `/messages/${encodeURIComponent(id)}`, messageState)
  }

  listMessages(options: Query = {}): Promise<Page<OriginMessageState>> {
    return this.#page(`/messages?${queryOf(options)}`, messageState)
  }

  listInboxMessages(options: Query = {}): Promise<Page<OriginIncomingMessage>> {
    return this.#page(`/inbox?${queryOf(options)}`, incomingMessage)
  }

  async refreshInbox(range: OriginTimeRange, more: object = {}): Promise<void> {
    await this.#call('POST', '/inbox/refresh', 'any', { ...rangeOf(range), ...more })
  }

  /** The deprecated call. */
  async exportInbox(deviceId: string, range: OriginTimeRange): Promise<void> {
    await this.#call('POST', '/inbox/export', 'any', { deviceId, ...rangeOf(range) })
  }

  listDevices(): Promise<readonly OriginDevice[]> {
    return this.#call('GET', '/devices', { list: device })
  }

  async deleteDevice(id: string): Promise<void> {
    await this.#call('DELETE', `/devices/${encodeURIComponent(id)}`, 'any')
  }

  /** The client sends its credentials here too. */
  checkHealth(): Promise<{ readonly status: string; readonly version: string; readonly checks: object }> {
    return this.#call('GET', '/health', health)
  }

  getLogs({ sinceMs, untilMs }: OriginTimeRange): Promise<readonly OriginLogEntry[]> {
    return this.#call('GET', `/logs?${queryOf({ from: goSeconds(sinceMs), to: goSeconds(untilMs) })}`, {
      list: logEntry,
    })
  }

  getSettings(): Promise<OriginSettings> {
    return this.#call('GET', '/settings', settings)
  }

  updateSettings(changes: object): Promise<OriginSettings> {
    return this.#call('PATCH', '/settings', settings, changes)
  }

  replaceSettings(all: object): Promise<OriginSettings> {
    return this.#call('PUT', '/settings', settings, all)
  }

  listWebhooks(): Promise<readonly OriginWebhook[]> {
    return this.#call('GET', '/webhooks', { list: webhook })
  }

  /** The client always sends `deviceId`, which is null for all devices. */
  registerWebhook(made: Pick<OriginWebhook, 'url' | 'event'> & Partial<OriginWebhook>): Promise<OriginWebhook> {
    return this.#call('POST', '/webhooks', webhook, { deviceId: null, ...made })
  }

  async deleteWebhook(id: string): Promise<void> {
    await this.#call('DELETE', `/webhooks/${encodeURIComponent(id)}`, 'any')
  }

  generateToken(scopes: readonly string[], ttl?: number): Promise<OriginToken> {
    return this.#call('POST', '/auth/token', token, { ...(ttl !== undefined && { ttl }), scopes })
  }

  /** Has no body. The refresh token takes the place of the client's own credentials. */
  refreshToken(refreshToken: string): Promise<OriginToken> {
    return OriginClient.withToken(this.#baseUrl, refreshToken).#call('POST', '/auth/token/refresh', token)
  }

  async revokeToken(id: string): Promise<void> {
    await this.#call('DELETE', `/auth/token/${encodeURIComponent(id)}`, 'any')
  }

  async #page<T>(path: string, item: GoShape): Promise<Page<T>> {
    const { headers, body } = await this.#ask('GET', path)
    const total = Number(headers['x-total-count'] ?? 0)
    if (!Number.isInteger(total)) throw new Error(`failed to parse X-Total-Count: ${headers['x-total-count']}`)
    return { items: goDecode({ list: item }, body), total }
  }

  async #call<T>(method: string, path: string, shape: GoShape, payload?: object): Promise<T> {
    const { status, body } = await this.#ask(method, path, payload)
    return status === 204 ? (undefined as T) : goDecode<T>(shape, body)
  }

  async #ask(method: string, path: string, payload?: object) {
    const [authorization, timeoutMs] = [this.#authorization, this.#timeoutMs]
    const answer = await goRequest({ method, url: this.#baseUrl + path, authorization, payload, timeoutMs })
    if (answer.status >= 400) throw new OriginApiError(answer.status, answer.body)
    return answer
  }
}

export interface OriginLogin {
  readonly username: string
  readonly password: string
}

interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
}

export interface OriginTimeRange {
  readonly sinceMs: number
  readonly untilMs: number
}

const rangeOf = ({ sinceMs, untilMs }: OriginTimeRange) => ({ since: goTime(sinceMs), until: goTime(untilMs) })

/** `url.Values.Encode` of Go sorts by name. */
function queryOf(options: Query): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(options)) query.set(name, String(value))
  query.sort()
  return query.toString()
}
