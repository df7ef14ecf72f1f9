import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { closeCodes } from '@smsgw/contract/link/close-code'
import { maxFrameBytes, subprotocol } from '@smsgw/contract/link/frame'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { ScriptedAgent } from './testing/scripted-agent.ts'

const METRICS_TOKEN = 'a token of some length'

let relay: TestRelay
let good: ScriptedAgent
let places = 0

beforeAll(async () => {
  relay = await testRelay({ settings: { METRICS_TOKEN, TRUSTED_PROXIES: '127.0.0.1' } })
  const { code } = (await relay.api('POST', '/devices/codes')).json
  good = new ScriptedAgent({ url: relay.url, identity: { credential: code } }).start()
  await good.online()
})

beforeEach(async () => {
  await left()
  places += 1
})

afterAll(async () => {
  // Shows that hostile clients do not affect a normal agent.
  const { status } = await relay.api('POST', '/messages', {
    body: { textMessage: { text: 'still there' }, phoneNumbers: ['+4915112345678'] },
  })
  expect(status).toBe(202)
  await good.until(() => good.commands.length === 1)
  expect(good.ended).toEqual([])
  good.stop()
  await relay.close()
})

/** Waits until all other clients are disconnected and their sockets are freed. */
function left(): Promise<unknown> {
  return vi.waitUntil(async () => (await metric('smsgw_agent_sockets')) === 1, { timeout: 90_000 })
}

async function metric(name: string): Promise<number> {
  const { text: metrics } = await relay.request('GET', '/metrics', { auth: `Bearer ${METRICS_TOKEN}` })
  return Number(metrics.match(new RegExp(`^${name} (.*)$`, 'm'))?.[1])
}

function open(path = '/agent/v1', protocol = subprotocol, headers = {}): WebSocket {
  const from = { 'x-forwarded-for': `192.0.2.${places}`, ...headers }
  return new WebSocket(`${relay.url.replace('http', 'ws')}${path}`, protocol, { headers: from })
}

/** Opens an unauthenticated connection and waits for the relay's first frame. */
async function challenged(): Promise<WebSocket> {
  const socket = open()
  await once(socket, 'message')
  return socket
}

async function codeOf(socket: WebSocket): Promise<number> {
  socket.on('error', () => undefined)
  const [code] = await once(socket, 'close')
  return code
}

const deep = `{"type":"hello","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
const helloOf = (about: object) => JSON.stringify({ type: 'hello', ...about })

test.each([
  ['nothing', '', 'malformed'],
  ['no JSON', '{"type":', 'malformed'],
  ['no object', '[1]', 'malformed'],
  ['no type', '{"type":7}', 'malformed'],
  ['a hello without required members', helloOf({}), 'malformed'],
  ['a hello nested a hundred thousand levels deep', deep, 'malformed'],
  ['events before authentication', '{"type":"events","from":1,"tag":"t","events":[{}]}', 'malformed'],
  ['a ping before authentication', '{"type":"ping","number":1}', 'malformed'],
  ['a critical frame of a later version', '{"type":"later","critical":true}', 'unsupported'],
  ['a type that is a member of every object', '{"type":"constructor","critical":true}', 'unsupported'],
] as const)('closes an unauthenticated connection that sends %s, with a reason', async (_, frame, why) => {
  const socket = await challenged()
  socket.send(frame)
  expect(await codeOf(socket)).toBe(closeCodes[why].code)
})

test('closes an unauthenticated connection that sends hello twice', async () => {
  const socket = await challenged()
  const hello = helloOf({
    deviceId: good.deviceId,
    signature: 'A'.repeat(88),
    versions: { min: 1, max: 1 },
    agentVersion: '1',
    bootId: 'b',
    journal: { id: 'j', first: 1, tail: 0, mark: 0 },
    isClockSynchronised: true,
    sims: [],
  })
  socket.send(hello)
  socket.send(hello)
  expect(await codeOf(socket)).toBe(closeCodes.malformed.code)
})

test('refuses binary frames and frames over the size limit, whole or fragmented', async () => {
  const [binary, huge, pieces] = await Promise.all([challenged(), challenged(), challenged()])
  binary.send(Buffer.alloc(100))
  huge.send('x'.repeat(maxFrameBytes + 1))
  for (let sent = 0; sent <= maxFrameBytes; sent += 65_536) pieces.send('x'.repeat(65_536), { fin: false })
  expect(await Promise.all([binary, huge, pieces].map(codeOf))).toEqual([closeCodes.malformed.code, 1009, 1009])
})

test('refuses a frame in many tiny fragments early', async () => {
  const socket = await challenged()
  for (let crumb = 0; crumb < 2_000; crumb += 1) socket.send('', { fin: false })
  expect(await codeOf(socket)).toBe(1008)
})

test('refuses invalid UTF-8 and frames that violate the protocol', async () => {
  const attacks: [Buffer, number][] = [
    // A text frame with a byte that never occurs in UTF-8. The mask is zero.
    [Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]), 1007],
    // A frame without a mask.
    [Buffer.from([0x81, 0x01, 0x61]), 1002],
    // A reserved opcode.
    [Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
    // Announces eight exabytes.
    [Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]), 1009],
    // A continuation without a first frame.
    [Buffer.from([0x80, 0x80, 0, 0, 0, 0]), 1002],
  ]
  for (const [bytes, code] of attacks) {
    const socket = await challenged()
    ;(socket as unknown as { _socket: Socket })._socket.write(bytes)
    expect(await codeOf(socket)).toBe(code)
  }
})

test('stops answering pings from a client that does not read', async () => {
  const socket = await challenged()
  const raw = (socket as unknown as { _socket: Socket })._socket
  let pongs = 0
  socket.on('pong', () => {
    pongs += 1
  })
  const ping = Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)])
  const pings = Buffer.concat(Array.from({ length: 500 }, () => ping))
  raw.pause()
  // The pings have 19 MB in total, and answers to all pings would have the same size.
  for (let turn = 0; turn < 300; turn += 1) if (!raw.write(pings)) await once(raw, 'drain')
  socket.send(Buffer.alloc(1))
  raw.resume()
  expect(await codeOf(socket)).toBe(closeCodes.malformed.code)
  expect(pongs).toBeLessThan(120_000)
})

test.each([
  ['elsewhere', '/agent/v2', subprotocol, {}, 404],
  ['without the subprotocol', '/agent/v1', 'chat', {}, 400],
  ['from a web page', '/agent/v1', subprotocol, { origin: 'https://a.example' }, 403],
])('a connection %s is refused with the reason', async (_, path, protocol, headers, status) => {
  const socket = open(path, protocol, headers)
  socket.on('error', () => undefined)
  const [request, response] = await once(socket, 'unexpected-response')
  expect(response.statusCode).toBe(status)
  expect(JSON.parse(await text(response))).toMatchObject({ code: status, message: expect.any(String) })
  request.destroy()
})

test('an upgrade that is not WebSocket version 13 gets one response', async () => {
  const { hostname, port } = new URL(relay.url)
  const upgrade = 'Connection: Upgrade\r\nUpgrade:'
  const heads = [
    `POST /agent/v1 HTTP/1.1\r\nHost: a\r\n${upgrade} websocket\r\nSec-WebSocket-Protocol: ${subprotocol}\r\n\r\n`,
    `GET /agent/v1 HTTP/1.1\r\nHost: a\r\n${upgrade} websocket\r\nSec-WebSocket-Key: short\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ${subprotocol}\r\n\r\n`,
    `GET /agent/v1 HTTP/1.1\r\nHost: a\r\n${upgrade} websocket\r\nSec-WebSocket-Version: 99\r\nSec-WebSocket-Protocol: ${subprotocol},,,\r\n\r\n`,
  ]
  for (const head of heads) {
    const socket = connectSocket({ host: hostname, port: Number(port) })
    socket.write(head)
    expect((await text(socket)).slice(0, 12)).toMatch(/^HTTP\/1\.1 4\d\d/)
  }
})

test('answers an upgrade to another protocol or path like an ordinary request', async () => {
  const { hostname, port } = new URL(relay.url)
  const ask = async (path: string, protocol: string) => {
    const socket = connectSocket({ host: hostname, port: Number(port) })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`)
    socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    return (await text(socket)).match(/HTTP\/1\.1 \d+/g)
  }
  expect(await ask('/agent/v1', 'h2c')).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200'])
  expect(await ask('/health/live', 'h2c')).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  expect(await ask('/health/live', 'websocket')).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
})

test('an address that opens too many connections has to wait, but other addresses do not', async () => {
  // Opens more connections than are allowed: the limit is 200, plus 20 for each second that a busy machine needs to
  // open them.
  const statuses = await Promise.all(
    Array.from({ length: 600 }, async () => {
      const socket = open()
      const outcome = await Promise.race([
        once(socket, 'open').then(() => 101),
        once(socket, 'unexpected-response').then(([, response]) => response.statusCode),
      ])
      socket.on('error', () => undefined)
      socket.terminate()
      return outcome
    }),
  )
  expect(statuses).toContain(101)
  expect(statuses).toContain(429)
  places += 1
  const other = await challenged()
  other.terminate()
})

test('invalid events of a paired agent are logged and skipped without disconnecting it', async () => {
  const agent = await pairedAgent()
  const nonsense = [{ kind: 'sent' }, 7, { kind: 'received', text: '\u0000' }, { kind: 'sent', cmdId: 'x'.repeat(65) }]
  agent.tell(...(nonsense as never[]))
  await agent.until(() => agent.stored === 4)
  agent.stop()
  const where = { deviceId: agent.deviceId, priority: 'WARN' } as const
  expect(await relay.database.logEntry.count({ where })).toBe(4)
})

test.each([
  ['skips events', '{"type":"events","from":9,"tag":"t","events":[{}]}'],
  [
    'sends a pairing request again',
    `{"type":"pair","credential":"x","publicKey":"${'A'.repeat(43)}=","signature":"AAAA","name":"x"}`,
  ],
  ['sends an event tag that is too long', `{"type":"events","from":1,"tag":"${'t'.repeat(65)}","events":[{}]}`],
])('disconnects a paired agent that %s', async (_, frame) => {
  const agent = await pairedAgent()
  agent.say(frame)
  await agent.until(() => agent.ended.length === 1)
  expect(agent.ended).toEqual(['malformed'])
  agent.stop()
})

async function pairedAgent(): Promise<ScriptedAgent> {
  const { code } = (await relay.api('POST', '/devices/codes')).json
  const options = { identity: { credential: code }, address: `192.0.2.${places}`, chance: 1 }
  const agent = new ScriptedAgent({ url: relay.url, ...options }).start()
  await agent.online()
  return agent
}
