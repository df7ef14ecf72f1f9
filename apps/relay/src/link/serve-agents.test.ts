import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
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
  const agents = serveAgents(server, sessions, { addressOf: () => '192.0.2.1', nowMs: () => 0 })
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
