import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { rootRoute } from './route.ts'
import { type TestServer, testServer } from './testing/test-server.ts'

/** The headers as `java.net.http.HttpClient` writes them. */
const OFFER = 'Connection: Upgrade, HTTP2-Settings\r\nHost: sms.example\r\nHTTP2-Settings: AAEAAEAA\r\nUpgrade: h2c\r\n'
const LAST = 'GET /nothing HTTP/1.1\r\nHost: sms.example\r\nConnection: close\r\n\r\n'

let server: TestServer
let entered = Promise.withResolvers<void>()
let gate = Promise.withResolvers<void>()

beforeAll(async () => {
  const echo = endpoint({
    body: z.unknown(),
    answers: { 200: z.unknown() },
    handle: async ({ body, headers }) => ({ status: 200, body: `${JSON.stringify(body)} ${headers['x-about']}` }),
  })
  const wait = endpoint({
    answers: { 200: z.unknown() },
    async handle() {
      entered.resolve()
      await gate.promise
      return { status: 200, body: 'waited' }
    },
  })
  server = await testServer({
    routes: [
      rootRoute('POST', '/echo', 'public', 'Echoes', echo),
      rootRoute('GET', '/echo', 'public', 'Echoes', echo),
      rootRoute('GET', '/wait', 'public', 'Waits', wait),
    ],
  })
})
afterAll(() => server[Symbol.asyncDispose]())

function post(body: string, headers = `Content-Length: ${body.length}\r\n`): string {
  return `POST /echo HTTP/1.1\r\n${OFFER}Content-Type: application/json\r\n${headers}\r\n${body}`
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\n${OFFER}\r\n`
/** Returns the bodies of the answers on a connection, in order. Returns the status in place of an error body. */
const bodiesOf = (answers: string) =>
  answers
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .map((answer) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))))
    .map((body) => body.status ?? body)

test('a request that offers an upgrade is answered like any other request, and its connection stays open', async () => {
  const sent = [get('/echo'), post('1'), get('/wait?'), post('2', 'X-About: \xe9\r\nContent-Length: 1\r\n'), LAST]
  const answer = server.raw(...sent.map((piece) => Buffer.from(piece, 'latin1')))
  gate.resolve()
  expect(bodiesOf(await answer)).toEqual(['undefined undefined', '1 undefined', 'waited', '2 \xe9', 404])
})

test.each([
  ['at once', [post('{"a":1}')]],
  ['after its headers', [post('', 'Content-Length: 7\r\n'), '{"a"', ':1}']],
  ['in chunks', [post('', 'Transfer-Encoding: chunked\r\n'), '3\r\n{"a\r\n', '4\r\n":1}\r\n0\r\n\r\n']],
])('the body of a request that offers an upgrade may arrive %s', async (_, pieces) => {
  expect(bodiesOf(await server.raw(...pieces, LAST))).toEqual(['{"a":1} undefined', 404])
})

test('pipelined requests are all answered, in order', async () => {
  const all = [get('/echo'), get('/echo'), post('1'), post('2'), get('/nothing'), LAST].join('')
  expect(bodiesOf(await server.raw(all))).toEqual([
    'undefined undefined',
    'undefined undefined',
    '1 undefined',
    '2 undefined',
    404,
    404,
  ])
})

test('pipelined requests are answered after the pending request, whenever they arrive', async () => {
  entered = Promise.withResolvers()
  gate = Promise.withResolvers()
  const socket = connect(server.port, '127.0.0.1')
  const answer = text(socket)
  socket.write(`GET /wait HTTP/1.1\r\nHost: x\r\n\r\n${get('/echo')}`)
  await entered.promise
  for (const piece of [post('1'), post('2'), LAST]) {
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()))
    await setImmediate()
  }
  gate.resolve()
  expect(bodiesOf(await answer)).toEqual(['waited', 'undefined undefined', '1 undefined', '2 undefined', 404])
})

test('a caller that disconnects while its connection waits causes no error', async () => {
  entered = Promise.withResolvers()
  gate = Promise.withResolvers()
  const socket = connect(server.port, '127.0.0.1')
  socket.write(`GET /wait HTTP/1.1\r\nHost: x\r\n\r\n${get('/echo')}`)
  await entered.promise
  socket.resetAndDestroy()
  await once(socket, 'close')
  gate.resolve()
  expect(bodiesOf(await server.raw(LAST))).toEqual([404])
})
