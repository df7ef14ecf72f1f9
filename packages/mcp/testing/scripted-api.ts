import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as bodyOf } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

interface Request {
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}
export type Handler = (request: Request, response: ServerResponse) => unknown

/** An API whose handlers return the JSON of an answer. A handler that returns nothing sends the answer itself. */
export async function startApi(handlers: Readonly<Record<string, Handler>>) {
  const requests: Request[] = []
  const server = createServer(async (incoming, response) => {
    const [path = '', query = ''] = (incoming.url ?? '').replace('/3rdparty/v1', '').split('?')
    const request = { path, query, headers: incoming.headers, body: await bodyOf(incoming) }
    requests.push(request)
    const answer = handlers[`${incoming.method} ${decodeURIComponent(path)}`]?.(request, response)
    if (answer !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** An answer with an open stream of events. */
export const openStream = (streams: ServerResponse[]): Handler => {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n')
    streams.push(response)
  }
}
export const inboxEvent = (sender: string) =>
  `id: 1\nevent: inbox.received\ndata: ${JSON.stringify({ id: 'i1', sender, type: 'SMS' })}\n\n`
