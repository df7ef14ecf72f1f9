import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Told {
  readonly event: string
  readonly id: string
  readonly deviceId: string
  readonly webhookId: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** A receiver of webhooks that writes down what it is told. */
export class Receiver {
  readonly told: Told[] = []
  readonly url: string
  readonly #server: Server
  readonly #waiting = new Set<{ readonly isIt: (told: Told) => boolean; readonly resolve: (told: Told) => void }>()

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
        receiver?.take(JSON.parse(Buffer.concat(parts).toString()) as Told)
        response.end('ok')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    receiver = new Receiver(server)
    return receiver
  }

  take(told: Told): void {
    this.told.push(told)
    for (const waiting of this.#waiting) {
      if (!waiting.isIt(told)) continue
      this.#waiting.delete(waiting)
      waiting.resolve(told)
    }
  }

  /** The next one that is it. */
  until(isIt: (told: Told) => boolean): Promise<Told> {
    const known = this.told.find(isIt)
    if (known !== undefined) return Promise.resolve(known)
    return new Promise((resolve) => this.#waiting.add({ isIt, resolve }))
  }

  of(event: string): readonly Told[] {
    return this.told.filter((one) => one.event === event)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
