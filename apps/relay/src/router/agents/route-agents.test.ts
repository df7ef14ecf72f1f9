import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { readRoutedChallenge } from '../../link/routed-challenge.ts'
import { clientFrame } from '../testing/client-frame.ts'
import { type TestRouter, testRouter, testUpstream } from '../testing/test-router.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const UPGRADE =
  'GET /agent/v1 HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: smsgw.v1\r\n\r\n'

const hello = (deviceId: string) =>
  JSON.stringify({
    ...{ type: 'hello', deviceId, signature: 'AAAA', versions: { min: 1, max: 1 }, agentVersion: '1', bootId: 'b' },
    ...{ journal: { id: 'j', first: 1, tail: 0, mark: 0 }, isClockSynchronised: true, sims: [] },
  })

interface RelayOptions {
  /** Sent as the first frame in place of the challenge of the router. */
  readonly challenge?: string
  readonly onSocket?: (socket: WebSocket) => void
}

/** A relay that accepts the challenge of the router, as a relay does, and echoes messages. */
async function relayOf(box: () => TestRouter['box'], { challenge, onSocket }: RelayOptions = {}) {
  const upstream = await testUpstream((_, response) => {
    response.end()
  })
  closers.push(() => upstream.close())
  const received: string[] = []
  const server = new WebSocketServer({ server: upstream.server, handleProtocols: () => 'smsgw.v1' })
  server.on('connection', (socket, request) => {
    const routed = readRoutedChallenge(box(), request, Date.now())
    socket.send(challenge ?? JSON.stringify({ type: 'challenge', ...routed, versions: { min: 1, max: 1 } }))
    socket.on('message', (data) => {
      received.push(String(data))
      socket.send(`echo ${String(data).length}`)
    })
    onSocket?.(socket)
  })
  return { ...upstream, received, server }
}

const STATUS = /^HTTP\/1\.1 (\d{3})/
const statusOf = (answer: string) => Number(STATUS.exec(answer)?.[1])

async function start(one: RelayOptions = {}, two: RelayOptions = {}, proxies: string[] = []) {
  let router: TestRouter | undefined
  const box = () => {
    if (router === undefined) throw new Error('the router was not started')
    return router.box
  }
  const relays = { one: await relayOf(box, one), two: await relayOf(box, two) }
  const started = await testRouter({ one: [relays.one.url], two: [relays.two.url] }, proxies)
  router = started
  closers.push(() => started.close())
  return { relays, router: started }
}

interface AgentClient {
  readonly socket: WebSocket
  /** The text messages that arrived after the challenge. */
  readonly messages: string[]
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
}

/** Connects as an agent, and sends the first message after the challenge. */
async function agent({ url }: TestRouter, first: string): Promise<AgentClient> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/agent/v1`, 'smsgw.v1')
  const messages: string[] = []
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }))
  const [challenge] = await once(socket, 'message')
  expect(JSON.parse(String(challenge))).toMatchObject({ type: 'challenge', relayId: 'router' })
  socket.on('message', (data) => messages.push(String(data)))
  socket.send(first)
  return { socket, messages, closed }
}

const answered = ({ messages }: AgentClient, count = 1) =>
  expect.poll(() => messages.filter((text) => text.startsWith('echo')).length, { timeout: 60_000 }).toBe(count)

test('an agent is connected to the cell of its device, and messages of any size pass in both directions', async () => {
  const { relays, router } = await start()
  const [alice, bob] = [await agent(router, hello('alice')), await agent(router, hello('bob'))]
  await answered(alice)
  await answered(bob)
  expect([relays.one.received[0], relays.two.received[0]]).toEqual([hello('alice'), hello('bob')])
  for (const size of [1, 126, 200_000]) alice.socket.send('x'.repeat(size))
  await answered(alice, 4)
  expect(alice.messages.slice(1)).toEqual(['echo 1', 'echo 126', 'echo 200000'])
  alice.socket.close(4000, 'stopped')
  expect(await alice.closed).toMatchObject({ code: 4000 })
  await expect.poll(() => router.pool.targets('one')[0]?.inFlight, { timeout: 60_000 }).toBe(0)
})

test('a message that is not understood goes to a relay, which answers it', async () => {
  const { router } = await start()
  await answered(await agent(router, 'not a frame'))
})

test.each([
  ['a web page', `${UPGRADE.slice(0, -2)}Origin: https://evil.example\r\n\r\n`, 403],
  ['a client of another protocol', UPGRADE.replace('smsgw.v1', 'chat'), 400],
])('the upgrade of %s is refused', async (_, text, status) => {
  const { router } = await start()
  const client = router.connect(text)
  expect(await client.until(/^HTTP/)).toMatch(`HTTP/1.1 ${status} `)
})

test('an address with too many new connections is refused with 429, and other addresses are not', async () => {
  const { router } = await start({}, {}, ['127.0.0.1'])
  const connectFrom = (address: string) =>
    router.connect(`${UPGRADE.slice(0, -2)}X-Forwarded-For: ${address}\r\n\r\n`).until(STATUS)
  const busy = await Promise.all(Array.from({ length: 1_000 }, () => connectFrom('192.0.2.1')))
  const statuses = busy.map(statusOf)
  expect(statuses.filter((status) => status === 101).length).toBeGreaterThanOrEqual(200)
  expect(statuses).toContain(429)
  expect(statusOf(await connectFrom('192.0.2.2'))).toBe(101)
})

test('an upgrade on another path is answered as a request', async () => {
  const { router } = await start()
  const client = router.connect(UPGRADE.replace('/agent/v1', '/'))
  expect(await client.until(/^HTTP/)).toMatch(/^HTTP\/1\.1 200 /)
})

test.each([
  ['binary bytes', Buffer.from([1, 2, 3, 4, 5, 6, 7, 8])],
  ['a frame in pieces', clientFrame('{', 1, false)],
])('an agent that begins with %s gets a close frame', async (_, bytes) => {
  const { router } = await start()
  const client = router.connect(UPGRADE)
  await client.until(/"challenge"[\s\S]*\}/)
  client.socket.write(bytes)
  await client.ended
  expect(Buffer.from(client.received(), 'latin1').includes(Buffer.of(4400 >> 8, 4400 & 0xff))).toBe(true)
})

test('an agent that sends its first message byte by byte is connected', async () => {
  const { relays, router } = await start()
  const client = router.connect(UPGRADE)
  await client.until(/"challenge"[\s\S]*\}/)
  for (const byte of clientFrame(hello('bob'))) client.socket.write(Buffer.of(byte))
  await client.until(/echo \d+/)
  expect(relays.two.received).toEqual([hello('bob')])
})

test('an agent that is silent after the upgrade is closed, and takes no place at a relay', async () => {
  const { relays, router } = await start()
  const client = router.connect(UPGRADE)
  await client.ended
  expect(client.received()).toMatch(/did not arrive in time/)
  expect(relays.one.server.clients.size + relays.two.server.clients.size).toBe(0)
})

test('an agent that disconnects before its first message leaves nothing behind', async () => {
  const { router } = await start()
  const client = router.connect(UPGRADE)
  await client.until(/"challenge"/)
  client.socket.end()
  await client.ended
})

test('a relay that closes the connection passes its code to the agent', async () => {
  const { router } = await start({ onSocket: (socket) => socket.once('message', () => socket.close(4403, 'deleted')) })
  expect(await (await agent(router, hello('alice'))).closed).toEqual({ code: 4403, reason: 'deleted' })
})

test('an agent that disconnects without a close frame ends the connection to the relay', async () => {
  const { relays, router } = await start()
  const client = await agent(router, hello('alice'))
  await answered(client)
  client.socket.terminate()
  await expect.poll(() => relays.one.server.clients.size, { timeout: 60_000 }).toBe(0)
})

test('an agent whose cell is unavailable, or does not know routers, connects again soon', async () => {
  const foreign = JSON.stringify({ type: 'challenge', relayId: 'relay', nonce: 'n'.repeat(21) })
  const { relays, router } = await start({ challenge: foreign })
  expect(await (await agent(router, hello('alice'))).closed).toMatchObject({ code: 4503 })
  await relays.two.close()
  expect(await (await agent(router, hello('bob'))).closed).toMatchObject({ code: 4503 })
})

test('an unknown device is not refused while a cell cannot be read', async () => {
  const { router } = await start()
  router.directory.isComplete = false
  expect(await (await agent(router, hello('nobody'))).closed).toMatchObject({ code: 4503 })
  router.directory.isComplete = true
})

test('a move closes the connections of the account at the end of a frame, and agents wait for the new cell', async () => {
  const sockets: WebSocket[] = []
  const { relays, router } = await start({ onSocket: (socket) => sockets.push(socket) })
  const [alice, bob] = [await agent(router, hello('alice')), await agent(router, hello('bob'))]
  await answered(alice)
  await answered(bob)
  // Frames are on their way when the move begins.
  for (let at = 0; at < 50; at += 1) sockets[0]?.send('y'.repeat(100_000))
  router.directory.place('alice', 'one', true)
  expect(await alice.closed).toMatchObject({ code: 4000 })
  expect(alice.messages.slice(1).every((text) => text.length === 100_000)).toBe(true)
  const again = await agent(router, hello('alice'))
  await expect.poll(() => again.messages, { timeout: 60_000 }).toContain('{"type":"pending"}')
  expect(relays.two.received).toEqual([hello('bob')])
  router.directory.place('alice', 'two')
  await answered(again)
  expect(relays.two.received).toEqual([hello('bob'), hello('alice')])
  expect(bob.socket.readyState).toBe(WebSocket.OPEN)
})
