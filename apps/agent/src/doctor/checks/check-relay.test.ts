import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { ScriptedRelay } from '../../testing/scripted-relay.ts'
import { checkRelay } from './check-relay.ts'

let relay: ScriptedRelay
let server: Server
let url: string
let aheadMs = 0
let health: object

beforeEach(async () => {
  relay = new ScriptedRelay()
  aheadMs = 0
  health = { status: 'pass', version: '0.1.0' }
  server = createServer((request, response) => {
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
    response.writeHead(request.url === '/health' ? 200 : 404).end(JSON.stringify(health))
  })
  new WebSocketServer({ server }).on('connection', (socket) => {
    const session = relay.accept({ send: (text) => socket.send(text), close: (code) => socket.close(code) })
    socket.on('message', (data) => session.step({ kind: 'received', text: String(data) }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/agent/v1`
})

afterEach(() => {
  server.closeAllConnections()
  server.close()
})

test('reports the version of the relay without signing in', async () => {
  expect(await checkRelay(url)).toMatchObject([
    { level: 'ok', text: expect.stringContaining('version 0.1.0') },
    { level: 'ok', subject: 'clock and relay' },
  ])
  expect(relay.frames).toEqual([])
})

test('reports a failed health check of the relay, such as a full disk', async () => {
  const full = { description: 'disk full: /data has 0 MB free', observedValue: 0, observedUnit: 'MiB' }
  const checks = { 'database:disk': { status: 'fail', ...full }, 'process:uptime': { status: 'pass', ...full } }
  health = { status: 'fail', version: '0.1.0', releaseId: 1, checks }
  expect((await checkRelay(url)).filter(({ level }) => level === 'fail')).toMatchObject([
    { subject: 'relay health', text: 'database:disk: disk full: /data has 0 MB free' },
  ])
})

test('warns if the system clock differs from the relay', async () => {
  aheadMs = 120_000
  expect((await checkRelay(url))[1]).toMatchObject({
    level: 'warn',
    text: expect.stringMatching(/12\d s behind the relay/),
  })
})

test('fails for a relay with other protocol versions, and for a server that is not a relay', async () => {
  relay.versions = { min: 7, max: 9 }
  expect(await checkRelay(url)).toMatchObject([
    { level: 'fail', text: expect.stringContaining('different protocol version') },
  ])
  Object.assign(relay, {
    accept: (socket: { send(text: string): void }) => {
      socket.send('{"hello":"I am a chat"}')
      return { step: () => undefined }
    },
  })
  expect(await checkRelay(url)).toMatchObject([
    { level: 'fail', text: expect.stringContaining('this server is not a relay') },
  ])
})
