import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { RequestTurns } from './request-turns.ts'
import { rootRoute } from './route.ts'
import { type TestServer, testServer } from './testing/test-server.ts'

const LONG = Buffer.alloc(16 * 1024 * 1024, 'a')
const LAST = 'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const post = (body: string) =>
  `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

const SHORT = { headersTimeoutMs: 500, requestTimeoutMs: 500, checkingIntervalMs: 20 }

let server: TestServer
/** Has short time limits for requests. */
let strict: TestServer
let started: string[]
let gate: PromiseWithResolvers<void>

beforeAll(async () => {
  const note = async (name: string) => {
    started.push(name)
    return { status: 200, body: name }
  }
  const answers = { 200: z.unknown() }
  const echo = async ({ body }: { body: unknown }) => await note(String(body))
  const wait = async () => {
    started.push('wait')
    await gate.promise
    return { status: 200, body: 'waited' }
  }
  const long = async () => ({ ...(await note('long')), body: LONG })
  const routes = [
    rootRoute('POST', '/echo', 'public', 'Echoes', endpoint({ body: z.unknown(), answers, handle: echo })),
    rootRoute('GET', '/quick', 'public', 'Is quick', endpoint({ answers, handle: () => note('quick') })),
    rootRoute('GET', '/wait', 'public', 'Waits', endpoint({ answers, handle: wait })),
    rootRoute('GET', '/long', 'public', 'Is long', endpoint({ answers, handle: long })),
  ]
  server = await testServer({ routes })
  strict = await testServer({ routes, limits: SHORT })
})
beforeEach(() => {
  started = []
  gate = Promise.withResolvers()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await strict[Symbol.asyncDispose]()
})

/** Returns the results of `/wait` and `/echo` and the statuses of errors, in order. */
const answersIn = (received: string) =>
  [...received.matchAll(/(?<=")waited|(?<=")\d(?=")|(?<=HTTP\/1\.1 )4\d\d/g)].flat()

/** Waits until the time limits of `strict` have expired for the requests that were incomplete before this call. */
async function waitForLimits(): Promise<void> {
  expect(answersIn(await strict.raw('GET'))).toEqual(['408'])
}

test('a pipelined request starts after the answer to the previous one', async () => {
  const answer = server.raw(get('/wait'), post('1'), post('2'), LAST)
  await expect.poll(() => started).toEqual(['wait'])
  // A request on another connection does not wait.
  await server.send('GET', '/quick')
  expect(started).toEqual(['wait', 'quick'])
  gate.resolve()
  expect(answersIn(await answer)).toEqual(['waited', '1', '2', '404'])
})

test('the answers to pipelined requests do not collect in memory while the client does not read', async () => {
  const socket = connect(server.port, '127.0.0.1').pause()
  socket.write(get('/long').repeat(50))
  await expect.poll(() => started.length).toBeGreaterThan(0)
  for (let round = 0; round < 20; round += 1) await server.send('GET', '/quick')
  expect(started.filter((name) => name === 'long').length).toBeLessThan(4)
  socket.destroy()
})

test('requests of other clients are answered between pipelined requests', async () => {
  const other = connect(server.port, '127.0.0.1')
  const socket = connect(server.port, '127.0.0.1')
  await Promise.all([once(other, 'connect'), once(socket, 'connect')])
  socket.write(get('/quick').repeat(100))
  socket.resume()
  await expect.poll(() => started.length, { interval: 0 }).toBeGreaterThan(0)
  other.write(post('"other"'))
  await once(other, 'data')
  expect(started).toContain('other')
  expect(started.length).toBeLessThan(101)
  await expect.poll(() => started.length).toBe(101)
  socket.destroy()
  other.destroy()
})

test('a client that pipelines too many requests is disconnected, and its waiting requests do not start', async () => {
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(get('/wait') + get('/quick').repeat(501))
  await once(socket, 'close')
  gate.resolve()
  await server.send('GET', '/wait')
  expect(started).toEqual(['wait', 'wait'])
})

test('a client may send more requests with credentials than may wait, because the connection is not read meanwhile', async () => {
  const socket = connect(server.port, '127.0.0.1')
  const answer = text(socket)
  socket.write(get('/wait'))
  await expect.poll(() => started).toEqual(['wait'])
  const bodies = Array.from({ length: 1_500 }, (_, index) => String(index))
  for (const body of bodies)
    socket.write(post(body).replace('Host', 'Authorization: Basic c21zOnBhc3N3b3JkLW9mLTIyLWxldHRlcnM=\r\nHost'))
  socket.write(LAST)
  gate.resolve()
  await answer
  expect(started.slice(1)).toEqual(bodies)
})

test('the body of a pipelined request may arrive after the answer to the previous request', async () => {
  const socket = connect(server.port, '127.0.0.1')
  const answer = text(socket)
  const body = JSON.stringify('b'.repeat(4_000))
  const whole = post(body)
  const cut = whole.length - 3_000
  socket.write(get('/wait') + post('1') + whole.slice(0, cut))
  await expect.poll(() => started).toEqual(['wait'])
  gate.resolve()
  await expect.poll(() => started).toEqual(['wait', '1'])
  socket.write(whole.slice(cut) + LAST)
  expect(await answer).toContain(body)
})

test.each([
  ['headers', 30],
  ['body', -1],
])('a request is not late if its %s could not be received while earlier requests waited', async (_, cut) => {
  const socket = connect(strict.port, '127.0.0.1')
  const answer = text(socket)
  socket.write(get('/wait') + post('1') + post('2').slice(0, cut))
  await expect.poll(() => started).toEqual(['wait'])
  socket.write(post('2').slice(cut))
  await waitForLimits()
  gate.resolve()
  await expect.poll(() => started).toEqual(['wait', '1', '2'])
  // The connection is idle now, which is not late either.
  await waitForLimits()
  socket.write(LAST)
  expect(answersIn(await answer)).toEqual(['waited', '1', '2', '404'])
})

test.each([
  ['headers behind a started request', get('/wait') + post('1').slice(0, 30), ['waited', '408']],
  ['headers behind a waiting request', get('/wait') + post('1') + post('2').slice(0, 30), ['waited', '1', '408']],
  ['a body behind a waiting request', get('/wait') + post('1') + post('2').slice(0, -1), ['waited', '1', '408']],
])(
  'a client that never completes %s is disconnected after the answers to its earlier requests',
  async (_, sent, answers) => {
    const answer = strict.raw(sent)
    await expect.poll(() => started).toEqual(['wait'])
    await waitForLimits()
    gate.resolve()
    expect(answersIn(await answer)).toEqual(answers)
  },
)

test('a client that sends the body of a late request too slowly is disconnected', async () => {
  const socket = connect(strict.port, '127.0.0.1')
  const answer = text(socket)
  socket.write(get('/wait') + post('1') + post('2').slice(0, 30))
  await expect.poll(() => started).toEqual(['wait'])
  await waitForLimits()
  socket.write(post('2').slice(30, -1))
  gate.resolve()
  expect(answersIn(await answer)).toEqual(['waited', '1', '408'])
})

test('an upgraded connection is read, even if the upgrade is pipelined behind a waiting request', async () => {
  const turns = new RequestTurns(SHORT)
  const http = createServer((request, response) => {
    turns.take(request, response, () => void gate.promise.then(() => response.end('answer')))
  })
  turns.watchUpgrades(http)
  http.on('upgrade', (_, stream) => stream.on('data', (chunk) => stream.end(`echo ${chunk}`)))
  await once(http.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((http.address() as AddressInfo).port, '127.0.0.1')
  const received = text(socket)
  const upgraded = once(http, 'upgrade')
  socket.write(`${get('/1')}${get('/2')}GET /3 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n`)
  await upgraded
  socket.write('hello')
  expect(await received).toContain('echo hello')
  gate.resolve()
  http.close()
})
