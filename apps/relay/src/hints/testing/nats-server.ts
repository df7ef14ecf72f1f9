import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** The part of a NATS server that relays use: PUB, SUB, and PING, with a username and a password. */
export class NatsServer {
  readonly #subscriptions = new Map<Socket, Map<string, string>>()
  readonly #password: string
  #server: Server | undefined
  #port = 0
  /** Subjects of all published messages. */
  readonly published: string[] = []

  constructor(password = '') {
    this.#password = password
  }

  get port(): number {
    return this.#port
  }

  get connections(): number {
    return this.#subscriptions.size
  }

  /** Listens on the same port after a stop. */
  async start(): Promise<this> {
    this.#server = createServer((socket) => this.#serve(socket))
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
    return this
  }

  async stop(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    this.#server = undefined
    server.close()
    for (const socket of this.#subscriptions.keys()) socket.destroy()
    await once(server, 'close')
  }

  #serve(socket: Socket): void {
    this.#subscriptions.set(socket, new Map())
    socket.on('close', () => this.#subscriptions.delete(socket))
    socket.on('error', () => socket.destroy())
    const info = { server_id: 'test', version: '2.10.0', proto: 1, headers: true, max_payload: 1_048_576 }
    socket.write(`INFO ${JSON.stringify({ ...info, auth_required: this.#password !== '' })}\r\n`)
    let buffered = Buffer.alloc(0)
    socket.on('data', (data) => {
      buffered = Buffer.concat([buffered, data])
      for (let used = this.#read(socket, buffered); used > 0; used = this.#read(socket, buffered))
        buffered = buffered.subarray(used)
    })
  }

  /** Handles the first complete operation and returns its length, or 0 when it is incomplete. */
  #read(socket: Socket, data: Buffer): number {
    const end = data.indexOf('\r\n')
    if (end < 0) return 0
    const [name = '', ...words] = data.subarray(0, end).toString().split(' ')
    const next = end + 2
    switch (name) {
      case 'CONNECT':
        if (this.#password !== '' && JSON.parse(words.join(' ')).pass !== this.#password)
          socket.end("-ERR 'Authorization Violation'\r\n")
        return next
      case 'PING':
        socket.write('PONG\r\n')
        return next
      case 'SUB':
        this.#subscriptions.get(socket)?.set(words[0] ?? '', words.at(-1) ?? '')
        return next
      case 'PUB': {
        const size = Number(words.at(-1))
        if (data.length < next + size + 2) return 0
        this.#publish(socket, words[0] ?? '', data.subarray(next, next + size))
        return next + size + 2
      }
      default:
        return next
    }
  }

  #publish(from: Socket, subject: string, payload: Buffer): void {
    this.published.push(subject)
    for (const [socket, subscriptions] of this.#subscriptions) {
      const id = subscriptions.get(subject)
      if (id === undefined || socket === from) continue
      socket.write(
        Buffer.concat([Buffer.from(`MSG ${subject} ${id} ${payload.length}\r\n`), payload, Buffer.from('\r\n')]),
      )
    }
  }
}
