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
        receiver?.told.push(JSON.parse(Buffer.concat(parts).toString()) as Told)
        response.end('ok')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    receiver = new Receiver(server)
    return receiver
  }

  of(event: string): readonly Told[] {
    return this.told.filter((one) => one.event === event)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
