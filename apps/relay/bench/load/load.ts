// Sends requests over persistent connections, one at a time on each. The client needs little CPU time, because it
// shares the machine with the measured relay.
import { connect, type Socket } from 'node:net'

export interface Load {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly slowestMs: number
  /** The number of answers with each status. */
  readonly statuses: ReadonlyMap<number, number>
}

export interface LoadOptions {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  /** Returns the next complete request, with head and body. */
  readonly request: () => string
}

export async function runLoad({ url, connections, seconds, request }: LoadOptions): Promise<Load> {
  const { hostname, port } = new URL(url)
  const latencies: number[] = []
  const statuses = new Map<number, number>()
  const start = performance.now()
  const end = start + seconds * 1000
  const worker = async () => {
    const connection = await open(hostname, Number(port))
    while (performance.now() < end) {
      const sent = performance.now()
      const status = await connection.ask(request())
      latencies.push(performance.now() - sent)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    connection.socket.destroy()
  }
  await Promise.all(Array.from({ length: connections }, worker))
  const elapsedSeconds = (performance.now() - start) / 1000
  latencies.sort((one, other) => one - other)
  const quantile = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  const slowestMs = latencies.at(-1) ?? 0
  return {
    perSecond: latencies.length / elapsedSeconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    slowestMs,
    statuses,
  }
}

/** Returns a POST request with a JSON body. */
export function postRequest(path: string, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries({ host: 'localhost', 'content-type': 'application/json', ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `POST ${path} HTTP/1.1\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

interface Connection {
  readonly socket: Socket
  ask(request: string): Promise<number>
}

function open(host: string, port: number): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>()
  const socket = connect({ host, port, noDelay: true })
  let received = ''
  let waiting: PromiseWithResolvers<number> | undefined
  socket.setEncoding('latin1')
  socket.on('data', (data: string) => {
    received += data
    const status = completeAnswer(received)
    if (status === undefined) return
    received = ''
    waiting?.resolve(status)
  })
  const fail = (error: Error) => (waiting ?? { reject }).reject(error)
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the server closed a connection')))
  socket.on('connect', () =>
    resolve({
      socket,
      ask(request) {
        waiting = Promise.withResolvers<number>()
        socket.write(request)
        return waiting.promise
      },
    }),
  )
  return promise
}

function completeAnswer(text: string): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1]
  return text.length >= headEnd + 4 + Number(length ?? 0) ? Number(text.slice(9, 12)) : undefined
}
