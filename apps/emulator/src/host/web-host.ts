import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { WebReply, WebRequest } from '@smsgw/virtual-modem/web/web-request'
import type { TcpAddress } from '../options/tcp-address.ts'
import type { HostPort } from './host-port.ts'
import { addressOf, listenTcp } from './tcp-host.ts'

/** The web interface of a HiLink stick over HTTP. While the stick is unplugged, connections are reset. */
export class WebHost implements HostPort {
  readonly #server: Server
  readonly #handle: HandleWebRequest
  #requests = 0
  #plugged = true

  private constructor(server: Server, handle: HandleWebRequest) {
    this.#server = server
    this.#handle = handle
    server.on('connection', (socket) => {
      if (!this.#plugged) socket.resetAndDestroy()
    })
    server.on('request', (request, response) => void this.#answer(request, response))
  }

  static async listen(at: TcpAddress, handle: HandleWebRequest, key: string): Promise<WebHost> {
    return new WebHost(await listenTcp(createServer(), at, key), handle)
  }

  get address(): string {
    return `hilink://${addressOf(this.#server)}`
  }

  describe(): string {
    return this.#plugged ? `${this.#requests} requests` : 'unplugged'
  }

  send(): void {
    // Does nothing, because the stick has no port on which programs could read its lines.
  }

  takeAway(): void {
    this.#plugged = false
    this.#server.closeAllConnections()
  }

  bringBack(): void {
    this.#plugged = true
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#requests += 1
    const body = await bodyOf(request)
    const { method = 'GET', url = '/' } = request
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const reply = body === undefined ? undefined : await this.#handle({ method, path: url, headers, body })
    if (reply === undefined || reply.kind === 'dropped') response.destroy()
    else if (reply.cutAfter === undefined) response.writeHead(reply.status, reply.headers).end(reply.body)
    else {
      const octets = Buffer.from(reply.body)
      response.writeHead(reply.status, { ...reply.headers, 'content-length': octets.length })
      response.write(octets.subarray(0, reply.cutAfter), () => response.destroy())
    }
  }
}

export type HandleWebRequest = (request: WebRequest) => Promise<WebReply | undefined>

/** Returns the body; undefined if the client disconnects, or sends more than a stick accepts. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > mostRequestOctets) return undefined
    }
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString('utf8')
}

const mostRequestOctets = 256 * 1024
