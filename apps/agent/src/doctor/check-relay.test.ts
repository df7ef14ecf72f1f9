import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { ScriptedRelay } from '../testing/scripted-relay.ts'
import { checkRelay } from './check-relay.ts'

let relay: ScriptedRelay
let server: Server
let url: string
let aheadMs = 0

beforeEach(async () => {
  relay = new ScriptedRelay()
  aheadMs = 0
  server = createServer((request, response) => {
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
    response.writeHead(request.url === '/health' ? 200 : 404).end('{"status":"pass","version":"0.1.0"}')
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

test('a relay that answers is told with its version, and nobody was anybody there', async () => {
  expect(await checkRelay(url)).toMatchObject([
    { level: 'ok', words: expect.stringContaining('version 0.1.0') },
    { level: 'ok', subject: 'clock and relay' },
  ])
  expect(relay.frames).toEqual([])
})

test('a clock that is off the relay’s is told', async () => {
  aheadMs = 120_000
  expect((await checkRelay(url))[1]).toMatchObject({
    level: 'warn',
    words: expect.stringMatching(/12\d s behind the relay/),
  })
})

test('a relay of other versions, and something that is no relay', async () => {
  relay.versions = { min: 7, max: 9 }
  expect(await checkRelay(url)).toMatchObject([{ level: 'fail', words: expect.stringContaining('another version') }])
  Object.assign(relay, {
    accept: (socket: { send(text: string): void }) => {
      socket.send('{"hello":"I am a chat"}')
      return { step: () => undefined }
    },
  })
  expect(await checkRelay(url)).toMatchObject([
    { level: 'fail', words: expect.stringContaining('what answers there is no relay') },
  ])
})
