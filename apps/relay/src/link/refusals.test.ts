import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { subprotocol } from '@smsgw/contract/link/frame'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ConnectedAgents } from './connected-agents.ts'
import { LATE_REFUSAL_MS } from './refusals.ts'
import type { RoutedChallenge } from './routed-challenge.ts'
import { serveAgents } from './serve-agents.ts'

/** Connections that one address may open at once. */
const ALLOWED = 200

let server: Server
let agents: ReturnType<typeof serveAgents>
let challenge: RoutedChallenge | undefined
const sockets: Socket[] = []

beforeEach(async () => {
  challenge = undefined
  server = createServer()
  const sessions = { accept: () => ({ step: () => undefined }) } as unknown as ConnectedAgents
  agents = serveAgents(server, sessions, {
    addressOf: () => '192.0.2.1',
    nowMs: () => 0,
    requestId: () => 'made-here',
    challengeOf: () => challenge,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = await Promise.all(Array.from({ length: ALLOWED }, async () => statusOf(upgrade())))
  expect(new Set(accepted)).toEqual(new Set([101]))
})

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await agents.close()
  server.close()
  await once(server, 'close')
})

function upgrade(): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(
    'GET /agent/v1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ${subprotocol}\r\n\r\n`,
  )
  sockets.push(socket)
  return socket
}

async function statusOf(socket: Socket): Promise<number> {
  const [chunk] = await once(socket, 'data')
  return Number(String(chunk).slice(9, 12))
}

function connectionCount(): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}

test('a load balancer counts connections over the limit as open, until they are refused', async () => {
  const startedMs = performance.now()
  const refused = Array.from({ length: 20 }, upgrade)
  const statuses = refused.map(statusOf)
  await sleep(LATE_REFUSAL_MS / 2)
  expect(await connectionCount()).toBe(ALLOWED + 20)
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([429]))
  expect(performance.now() - startedMs).toBeGreaterThan(LATE_REFUSAL_MS - 50)
})

test('a router gets the refusal at once, and can try another relay', async () => {
  challenge = { relayId: 'router', nonce: 'n'.repeat(21) }
  const startedMs = performance.now()
  expect(await statusOf(upgrade())).toBe(429)
  expect(performance.now() - startedMs).toBeLessThan(LATE_REFUSAL_MS)
})

test('a connection that its agent closes no longer waits for the refusal', async () => {
  const socket = upgrade()
  await expect.poll(connectionCount).toBe(ALLOWED + 1)
  socket.destroy()
  await expect.poll(connectionCount, { timeout: LATE_REFUSAL_MS / 2 }).toBe(ALLOWED)
})

test('a relay that stops closes the waiting connections', async () => {
  const socket = upgrade()
  await expect.poll(connectionCount).toBe(ALLOWED + 1)
  const stopping = agents.close()
  await once(socket, 'close')
  for (const one of sockets) one.destroy()
  await stopping
})
