import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface WebhookArrivalFields {
  readonly event: string
  readonly id: string
  readonly deviceId: string
  readonly webhookId: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface Arrival {
  readonly request: WebhookArrivalFields
  /** This machine's time. */
  readonly atMs: number
}

/** A webhook receiver that records its requests. */
export class Receiver {
  readonly requests: WebhookArrivalFields[] = []
  readonly #arrivals: Arrival[] = []
  readonly url: string
  readonly #server: Server
  readonly #waiting = new Set<{
    readonly isIt: (request: WebhookArrivalFields) => boolean
    readonly resolve: (request: WebhookArrivalFields) => void
  }>()

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  static async start(): Promise<Receiver> {
    let receiver: Receiver | undefined
    const server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part) => parts.push(part))
      request.on('end', () => {
        receiver?.take(JSON.parse(Buffer.concat(parts).toString()) as WebhookArrivalFields)
        response.end('ok')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    receiver = new Receiver(server)
    return receiver
  }

  take(request: WebhookArrivalFields): void {
    this.requests.push(request)
    this.#arrivals.push({ request, atMs: Date.now() })
    for (const waiting of this.#waiting) {
      if (!waiting.isIt(request)) continue
      this.#waiting.delete(waiting)
      waiting.resolve(request)
    }
  }

  /** Returns the next request that matches. */
  until(isIt: (request: WebhookArrivalFields) => boolean): Promise<WebhookArrivalFields> {
    const known = this.requests.find(isIt)
    if (known !== undefined) return Promise.resolve(known)
    return new Promise((resolve) => this.#waiting.add({ isIt, resolve }))
  }

  of(event: string): readonly WebhookArrivalFields[] {
    return this.requests.filter((one) => one.event === event)
  }

  /** Returns the first request for each event of this type, with the time of its arrival. */
  arrivals(event: string): readonly Arrival[] {
    const first = new Map(this.#arrivals.toReversed().map((each) => [each.request.id, each]))
    return [...first.values()].filter(({ request }) => request.event === event)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
