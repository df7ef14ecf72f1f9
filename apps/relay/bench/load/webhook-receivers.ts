// Webhook receivers in a separate process, for bench-webhooks.ts. Each argument is the behaviour of one receiver. The
// process reports their ports and, on request, the received events.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerWith } from '../../src/webhooks/testing/test-receiver.ts'

export type Manner = 'well' | 'dead' | 'hanging' | 'redirecting' | 'too many' | 'dripping' | 'closing'

export interface ReceiverReport {
  readonly requests: number
  /** The time when each event first arrived, in milliseconds since 1970, by event id. */
  readonly firstMs: Readonly<Record<string, number>>
  readonly mostAtOnce: number
}

export interface ReceiversReport {
  readonly receivers: readonly ReceiverReport[]
  /** The number of connections to the forbidden address. */
  readonly trespasses: number
}

/** A loopback address that the relays must not connect to. */
const FORBIDDEN = '127.0.0.2'
const trap = createSocketServer((socket) => {
  trespasses += 1
  socket.destroy()
})
let trespasses = 0
trap.listen(0, FORBIDDEN)

const manners: { readonly [Name in Manner]: (request: IncomingMessage, response: ServerResponse) => unknown } = {
  well: (_, response) => response.end(),
  dead: (_, response) => response.destroy(),
  hanging: () => undefined,
  redirecting: (_, response) =>
    answerWith(308, { location: `http://${FORBIDDEN}:${(trap.address() as AddressInfo).port}/` })(response),
  'too many': (_, response) => answerWith(429, { 'retry-after': '2' })(response),
  async dripping(_, response) {
    const { socket } = response
    for (const byte of 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n') {
      if (socket === null || socket.destroyed) return
      socket.write(byte)
      await sleep(1_000)
    }
  },
  closing: (_, response) => response.socket?.end(),
}

const receivers = await Promise.all((process.argv.slice(2) as Manner[]).map(listen))
process.on('message', () => {
  const report: ReceiversReport = { receivers: receivers.map(({ report }) => report()), trespasses }
  process.send?.(report)
})
process.send?.(receivers.map(({ url }) => url))

async function listen(manner: Manner): Promise<{ readonly url: string; readonly report: () => ReceiverReport }> {
  let requests = 0
  let atOnce = 0
  let mostAtOnce = 0
  const firstMs: Record<string, number> = {}
  const serve: RequestListener = (request, response) => {
    requests += 1
    atOnce += 1
    mostAtOnce = Math.max(mostAtOnce, atOnce)
    response.on('close', () => (atOnce -= 1))
    firstMs[String(request.headers['webhook-id'])] ??= performance.timeOrigin + performance.now()
    request.resume().on('end', () => manners[manner](request, response))
  }
  const server = createServer({ keepAliveTimeout: 60_000 }, serve).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  // Closes the server, so that nothing listens on the port of the receiver that is down.
  if (manner === 'dead') server.close()
  return { url: `http://127.0.0.1:${port}/`, report: () => ({ requests, firstMs, mostAtOnce }) }
}
