import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

const folder = resolve(import.meta.dirname, '../../testing/certificate')
const tls = {
  cert: readFileSync(resolve(folder, 'first.crt'), 'utf8'),
  key: readFileSync(resolve(folder, 'first.key'), 'utf8'),
}

export interface ReceivedPush {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface PushAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface TestPushService {
  readonly origin: string
  readonly pushes: readonly ReceivedPush[]
  /** The answer to each request. The default is status 201. If it is undefined, the service does not answer. */
  answer: PushAnswer | ((push: ReceivedPush) => Promise<PushAnswer>) | undefined
  close(): Promise<void>
}

/** A push service on this machine, with real TLS, which this process trusts until `close`. */
export async function testPushService(): Promise<TestPushService> {
  const usual = getCACertificates('default')
  setDefaultCACertificates([...usual, tls.cert])
  const pushes: ReceivedPush[] = []
  const server = createServer(tls, async (request, response) => {
    const push = { path: request.url ?? '', headers: request.headers, body: await buffer(request) }
    pushes.push(push)
    const answer = typeof service.answer === 'function' ? await service.answer(push) : service.answer
    if (answer) response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const service: TestPushService = {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pushes,
    answer: { status: 201 },
    async close() {
      setDefaultCACertificates(usual)
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return service
}
