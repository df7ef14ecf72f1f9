import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { subprotocol } from '@smsgw/contract/link/frame'
import { expect, test } from 'vitest'
import type { AgentSocket } from './connected-agent.ts'
import type { ConnectedAgents } from './connected-agents.ts'
import { serveAgents } from './serve-agents.ts'

test('the response to an upgrade waits for the first frame, and later frames are sent at once', async () => {
  const corked: number[] = []
  let connection: Socket | undefined
  let agent: AgentSocket | undefined
  const sessions = {
    accept(socket: AgentSocket) {
      corked.push(connection?.writableCorked ?? 0)
      agent = socket
      socket.send('first')
      return { step: () => undefined }
    },
  } as unknown as ConnectedAgents
  const server = createServer().on('connection', (socket) => {
    connection = socket
  })
  const agents = serveAgents(server, sessions, {
    addressOf: () => '192.0.2.1',
    nowMs: () => 0,
    requestId: () => 'made-here',
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write(
    'GET /agent/v1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ${subprotocol}\r\n\r\n`,
  )
  const [response] = await once(client, 'data')
  expect(String(response)).toMatch(/^HTTP\/1\.1 101 .*first$/s)
  corked.push(connection?.writableCorked ?? 0)
  agent?.send('second')
  expect(String((await once(client, 'data'))[0])).toContain('second')
  expect(corked).toEqual([1, 0])
  client.destroy()
  await agents.close()
  server.close()
  await once(server, 'close')
})

const SOUND: Readonly<Record<string, string>> = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol': subprotocol,
}

test.each([
  ['GET', { 'Sec-WebSocket-Protocol': 'chat' }, 400, subprotocol],
  ['GET', { 'Sec-WebSocket-Key': 'short' }, 400, 'Sec-WebSocket-Key'],
  ['GET', { 'Sec-WebSocket-Version': '99' }, 426, 'version is 13'],
  ['GET', { Origin: 'https://example.com' }, 403, 'Browsers'],
  ['GET', { Upgrade: 'h2c, websocket' }, 400, 'Upgrade'],
  ['GET', { 'Sec-WebSocket-Protocol': `${subprotocol}, ${subprotocol}` }, 400, 'Sec-WebSocket-Protocol'],
  ['POST', {}, 405, 'with GET'],
])(
  'an upgrade with %s and %o is refused with a problem like any other request',
  async (method, headers, status, words) => {
    await expectRefusal({ method, headers, status, words })
  },
)

test('an upgrade during the shutdown is refused with a problem like any other request', async () => {
  await expectRefusal({ isClosing: true, status: 503, words: 'shutting down' })
})

async function expectRefusal({
  isClosing = false,
  method = 'GET',
  headers = {},
  status,
  words,
}: {
  readonly isClosing?: boolean
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  readonly words: string
}) {
  const sessions = { accept: () => expect.unreachable('the upgrade was accepted') } as unknown as ConnectedAgents
  const server = createServer()
  const agents = serveAgents(server, sessions, {
    addressOf: () => '192.0.2.1',
    nowMs: () => 0,
    requestId: () => 'made-here',
  })
  if (isClosing) await agents.close()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const call = request({ host: '127.0.0.1', port, path: '/agent/v1', method })
  for (const [name, value] of Object.entries({ ...SOUND, ...headers })) call.setHeader(name, value)
  const [response] = await once(call.end(), 'response')
  expect([response.statusCode, response.headers['x-request-id']]).toEqual([status, 'made-here'])
  const problem = JSON.parse(await text(response))
  expect(problem).toMatchObject({ code: status, status, type: 'about:blank', requestId: 'made-here' })
  expect(problem.detail).toBe(problem.message)
  expect(problem.message).toContain(words)
  if (!isClosing) await agents.close()
  server.close()
  await once(server, 'close')
}
