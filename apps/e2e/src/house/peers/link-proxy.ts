import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'

/**
 * A proxy between agent and relay that can drop data in one or both directions, like a cut cable: neither side is
 * notified.
 */
export class LinkProxy {
  readonly port: number
  swallowsUp = false
  swallowsDown = false
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
  }

  /** Each connection goes to the next target that answers, as with a load balancer. */
  static async start(...targetPorts: readonly number[]): Promise<LinkProxy> {
    let proxy: LinkProxy | undefined
    let turn = 0
    const server = createServer((agent) => {
      turn += 1
      const order = targetPorts.map((_, at) => targetPorts[(turn + at) % targetPorts.length] ?? 0)
      proxy?.join(agent, order)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    proxy = new LinkProxy(server)
    return proxy
  }

  join(agent: Socket, [targetPort = 0, ...others]: readonly number[]): void {
    const relay = connect(targetPort, '127.0.0.1')
    const next = () => (others.length > 0 ? this.join(agent, others) : agent.destroy())
    agent.pause()
    agent.once('error', () => agent.destroy())
    relay.once('error', next)
    relay.once('connect', () => {
      relay.off('error', next)
      this.#connect(agent, relay)
      agent.resume()
    })
  }

  #connect(agent: Socket, relay: Socket): void {
    for (const [one, other, isUp] of [
      [agent, relay, true],
      [relay, agent, false],
    ] as const) {
      this.#sockets.add(one)
      // True after data was lost. As in TCP, later data does not arrive either, even when the line works again.
      let hasLost = false
      one.on('data', (data) => {
        hasLost ||= isUp ? this.swallowsUp : this.swallowsDown
        if (!hasLost) other.write(data)
      })
      // A line that drops data also drops the end of the connection.
      one.on('close', () => {
        this.#sockets.delete(one)
        if (!this.swallowsUp && !this.swallowsDown) other.destroy()
      })
      one.on('error', () => one.destroy())
    }
  }

  /** Closes all connections; new ones are possible at once. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
