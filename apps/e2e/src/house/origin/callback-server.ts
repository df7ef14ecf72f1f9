import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { webhookRequest } from './answer-shapes.ts'
import { goDecode } from './go-decode.ts'

export interface OriginCallback {
  /** The path with its query. */
  readonly path: string
  readonly event: string
  readonly id: string
  readonly deviceId: string
  readonly webhookId: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly signedPart: string
  readonly signature: string
}

/** Receives webhooks as the bridges do: reads each body into the published types, and answers with 200. */
export class CallbackServer {
  readonly callbacks: OriginCallback[] = []
  /** Requests that the published types refused. */
  readonly problems: string[] = []
  readonly url: string
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async start(): Promise<CallbackServer> {
    let receiver: CallbackServer | undefined
    const server = createServer(async (request, response) => {
      const body = (await buffer(request)).toString()
      receiver?.take(request.url ?? '', request.headers, body)
      response.setHeader('Content-Type', 'application/json').end('{"status":"ok"}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    receiver = new CallbackServer(server)
    return receiver
  }

  take(path: string, headers: NodeJS.Dict<string | string[]>, body: string): void {
    try {
      const { event } = JSON.parse(body) as { readonly event: string }
      const request = goDecode<Omit<OriginCallback, 'path' | 'signedPart' | 'signature'>>(webhookRequest(event), body)
      const signedPart = body + headers['x-timestamp']
      this.callbacks.push({ ...request, path, signedPart, signature: String(headers['x-signature']) })
    } catch (error) {
      this.problems.push(`${path}: ${error} in ${body}`)
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Verifies a webhook by the published rule: hex HMAC-SHA256 of the raw body followed by the timestamp. */
export function isSignedWith(key: string, { signedPart, signature }: OriginCallback): boolean {
  const expected = createHmac('sha256', key).update(signedPart).digest('hex')
  return expected.length === signature.length && timingSafeEqual(Buffer.from(expected), Buffer.from(signature))
}
