import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { maxFrameBytes, subprotocol } from '@smsgw/contract/link/frame'
import type { Unreachable } from '@smsgw/link/agent/state'
import { afterEach, expect, test, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import type { LinkSocket } from './link-socket.ts'
import { webSocketTo } from './web-socket.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** Starts a WebSocket server. `onSocket` gets the server's end of each connection. */
async function serve(onSocket: (socket: WebSocket) => void = () => undefined, server: Server = createHttpServer()) {
  servers.push(server)
  const webSockets = new WebSocketServer({ server })
  webSockets.on('connection', onSocket)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, webSockets }
}

function connect(url: string, reached: () => void = () => undefined) {
  const heard: string[] = []
  let socket: LinkSocket | undefined
  let onUnreachable: (unreachable: Unreachable) => void = () => undefined
  const unreachable = new Promise<Unreachable>((resolve) => {
    onUnreachable = resolve
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket = webSocketTo(url)({
      onReached: reached,
      onOpened: () => void heard.push('opened'),
      onText: (text) => void heard.push(text),
      onClosed: (code, reason) => resolve({ code, reason }),
      onUnreachable,
    })
  })
  return { heard, closed, unreachable, socket: socket as unknown as LinkSocket }
}

test('offers the subprotocol without compression, and transfers texts in both directions', async () => {
  const heard: string[] = []
  let extensions: string | undefined
  const { port, webSockets } = await serve((socket) => {
    socket.send('hello from there')
    socket.on('message', (data) => heard.push(String(data)))
  })
  webSockets.on('headers', (_, request) => {
    extensions = request.headers['sec-websocket-extensions']
    expect(request.headers['sec-websocket-protocol']).toBe(subprotocol)
  })
  const client = connect(`ws://127.0.0.1:${port}/agent/v1`)
  await expect.poll(() => client.heard).toEqual(['opened', 'hello from there'])
  client.socket.send('hello from here')
  await expect.poll(() => heard).toEqual(['hello from here'])
  expect(extensions).toBeUndefined()
  client.socket.close(4000, 'bye')
  expect(await client.closed).toEqual({ code: 4000, reason: 'bye' })
})

test('reports that a server is reached before it answers, and not if there is no server', async () => {
  const busy = createServer()
  busy.listen(0, '127.0.0.1')
  await once(busy, 'listening')
  const url = `ws://127.0.0.1:${(busy.address() as AddressInfo).port}`
  const { promise: reached, resolve } = Promise.withResolvers<void>()
  const accepted = once(busy, 'connection')
  const client = connect(url, resolve)
  await reached
  expect(client.heard).toEqual([])
  const [socket] = await accepted
  socket.destroy()
  busy.close()
  await once(busy, 'close')
  const onReached = vi.fn()
  await connect(url, onReached).unreachable
  expect(onReached).not.toHaveBeenCalled()
})

test('reports the close code and reason of the relay', async () => {
  const { port } = await serve((socket) => socket.close(4403, 'the device was deleted'))
  expect(await connect(`ws://127.0.0.1:${port}`).closed).toEqual({ code: 4403, reason: 'the device was deleted' })
})

test('a frame that is too large closes the connection', async () => {
  const { port } = await serve((socket) => socket.send('x'.repeat(maxFrameBytes + 1)))
  expect(await connect(`ws://127.0.0.1:${port}`).closed).toMatchObject({ code: 1006 })
})

test('closes forcibly if the relay does not answer the close', async () => {
  const { port } = await serve((socket) => socket.pause())
  const client = connect(`ws://127.0.0.1:${port}`)
  await expect.poll(() => client.heard).toEqual(['opened'])
  client.socket.close(4000, 'bye')
  expect(await client.closed).toMatchObject({ code: 1006 })
})

test('all agents notice at once that their relay was killed', async () => {
  const ws = JSON.stringify(import.meta.resolve('ws'))
  const script = `import { WebSocketServer } from ${ws}
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' }, () => process.stdout.write(server.address().port + '\\n'))`
  const relay = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = (await once(relay.stdout, 'data')) as [Buffer]
  const clients = Array.from({ length: 20 }, () => connect(`ws://127.0.0.1:${String(port).trim()}`))
  await expect.poll(() => clients.flatMap(({ heard }) => heard)).toHaveLength(20)
  relay.kill('SIGKILL')
  for (const { closed } of clients) expect(await closed).toMatchObject({ code: 1006 })
})

test('explains a failed connection and its solution in one line', async () => {
  const { port: closedPort, webSockets } = await serve()
  webSockets.close()
  const [server] = servers.splice(0)
  server?.close()
  await once(server as Server, 'close')
  expect(await connect(`ws://127.0.0.1:${closedPort}`).unreachable).toEqual({
    isProxied: false,
    reason: 'connection refused: check that the relay is running and that RELAY_URL is correct',
  })

  const plain = createHttpServer((_, response) => response.writeHead(404).end())
  plain.on('upgrade', (_, socket) => socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'))
  servers.push(plain)
  plain.listen(0, '127.0.0.1')
  await once(plain, 'listening')
  const { port } = plain.address() as AddressInfo
  expect((await connect(`ws://127.0.0.1:${port}`).closed).reason).toContain('the server answered with HTTP 404')
  expect((await connect(`wss://127.0.0.1:${port}`).closed).reason).toBe(
    'the server does not use TLS: check RELAY_URL, it may have to start with ws://',
  )
  expect((await connect('ws://no-such-host.invalid').unreachable).reason).toContain('unknown host name')
})

test.each([
  ['502 Bad Gateway', true],
  ['503 Service Unavailable', true],
  ['429 Too Many Requests', false],
  ['500 Internal Server Error', false],
])('after HTTP %s, the relay counts as unreachable: %s', async (status, isUnreachable) => {
  const proxy = createHttpServer()
  proxy.on('upgrade', (_, socket) => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`))
  servers.push(proxy)
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { closed, unreachable } = connect(`ws://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  if (isUnreachable) expect(await unreachable).toMatchObject({ isProxied: true })
  else expect(await closed).toMatchObject({ code: 1006, reason: expect.stringContaining(status.slice(0, 3)) })
})

test('a relay that resets the connection counts as unreachable before its answer, but not after it', async () => {
  const resetting = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
  resetting.listen(0, '127.0.0.1')
  await once(resetting, 'listening')
  const before = connect(`ws://127.0.0.1:${(resetting.address() as AddressInfo).port}`)
  expect(await before.unreachable).toMatchObject({ isProxied: false })
  resetting.close()

  const { port, webSockets } = await serve()
  webSockets.on('connection', (_, request) => setTimeout(() => request.socket.resetAndDestroy(), 100))
  const after = connect(`ws://127.0.0.1:${port}`)
  expect(await after.closed).toMatchObject({ code: 1006 })
  expect(after.heard).toEqual(['opened'])
})

test('refuses an untrusted certificate and describes the solution', async () => {
  const read = (name: string) => readFileSync(join(import.meta.dirname, '../testing/certificate', name))
  const tls = createTlsServer({ cert: read('untrusted.crt'), key: read('untrusted.key') })
  const { port } = await serve(undefined, tls as unknown as Server)
  const { reason } = await connect(`wss://127.0.0.1:${port}`).closed
  expect(reason).toMatch(/^the certificate is not trusted \(.*\): for a private CA, set NODE_EXTRA_CA_CERTS/)
})

test('disconnects from a relay that does not read', async () => {
  const { port } = await serve((socket) => socket.pause())
  const client = connect(`ws://127.0.0.1:${port}/agent/v1`)
  await expect.poll(() => client.heard).toEqual(['opened'])
  for (let sent = 0; sent < 64; sent += 1) client.socket.send('x'.repeat(1_048_576))
  expect(await client.closed).toMatchObject({ code: 1006 })
})

test('answers pings', async () => {
  let answered = false
  const { port } = await serve((socket) => {
    socket.once('pong', () => (answered = true))
    socket.ping()
  })
  connect(`ws://127.0.0.1:${port}/agent/v1`)
  await expect.poll(() => answered).toBe(true)
})
