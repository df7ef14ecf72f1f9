import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'

export interface WebhookArrival {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly atMs: number
}

export interface TestReceiver {
  readonly port: number
  /** The URL of the receiver, with its address and not a name. */
  readonly url: string
  readonly requests: readonly WebhookArrival[]
  /** The number of connections opened so far. */
  readonly connections: number
  /** The largest number of concurrent requests. */
  readonly mostAtOnce: number
  close(): Promise<void>
}

export interface TestReceiverOptions {
  readonly host?: string
  /** 0: any port. */
  readonly port?: number
  readonly tls?: { readonly key: string; readonly cert: string }
  /** The answer to each request, by default 200 without a body. Requests are numbered from 1. */
  readonly answer?: (response: ServerResponse, request: WebhookArrival, number: number) => void | Promise<void>
}

/** A webhook receiver with real sockets and scripted answers, which records all requests. */
export async function testReceiver(options: TestReceiverOptions = {}): Promise<TestReceiver> {
  const { host = '127.0.0.1', port: wanted = 0, tls, answer = answerWith(200) } = options
  const requests: WebhookArrival[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let atOnce = 0
  let mostAtOnce = 0
  const server = tls ? createTlsServer(tls) : createServer()
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('request', async (request, response) => {
    atOnce += 1
    mostAtOnce = Math.max(mostAtOnce, atOnce)
    response.on('close', () => (atOnce -= 1))
    const { method = '', url = '', headers } = request
    const received = { method, url, headers, body: await text(request), atMs: performance.now() }
    await answer(response, received, requests.push(received))
  })
  server.listen(wanted, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  return {
    port,
    url: `${tls ? 'https' : 'http'}://${authority}/`,
    requests,
    get connections() {
      return connections
    },
    get mostAtOnce() {
      return mostAtOnce
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

export function answerWith(status: number, headers: Readonly<Record<string, string>> = {}, body = '') {
  return (response: ServerResponse): void => void response.writeHead(status, headers).end(body)
}

/** The receivers of one test, which are closed together. */
export function testReceivers() {
  const made: TestReceiver[] = []
  return {
    async start(answer?: TestReceiverOptions['answer'], options: TestReceiverOptions = {}): Promise<TestReceiver> {
      const receiver = await testReceiver({ ...options, ...(answer && { answer }) })
      made.push(receiver)
      return receiver
    },
    async close(): Promise<void> {
      for (const receiver of made.splice(0)) await receiver.close()
    },
  }
}

/** Returns the ids of the received events, in order. */
export function idsOf({ requests }: TestReceiver): string[] {
  return requests.map(({ body }) => JSON.parse(body).id)
}
