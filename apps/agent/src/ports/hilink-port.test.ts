import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHilinkPort } from './hilink-port.ts'
import { tryOpenPort } from './open-port.ts'

const session = '<response><SesInfo>SessionID=a</SesInfo><TokInfo>b</TokInfo></response>'

let server: Server
let address: string
let requests: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: string }[]
let answer: (path: string, response: ServerResponse) => void

beforeEach(async () => {
  requests = []
  answer = (_, response) => response.end(session)
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push({ path: request.url ?? '', headers: request.headers, body })
    answer(request.url ?? '', response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `hilink://127.0.0.1:${(server.address() as { port: number }).port}`
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const get = { method: 'GET', path: '/api/x', headers: {}, timeoutMs: 60_000 } as const

test('exchanges a request for a reply', async () => {
  const port = await openHilinkPort(address)
  answer = (_, response) =>
    response.writeHead(200, { __RequestVerificationToken: 'next' }).end('<response>é</response>')
  const reply = await port.exchange({ ...get, method: 'POST', headers: { cookie: 'SessionID=a' }, body: 'é<&' })
  expect(reply).toMatchObject({ kind: 'answer', status: 200, body: '<response>é</response>' })
  expect(reply).toMatchObject({ headers: { __requestverificationtoken: 'next' } })
  expect(requests.at(-1)).toMatchObject({ path: '/api/x', body: 'é<&', headers: { cookie: 'SessionID=a' } })
})

test('does not follow redirects', async () => {
  const port = await openHilinkPort(address)
  answer = (_, response) => response.writeHead(307, { location: '/elsewhere' }).end()
  expect(await port.exchange(get)).toMatchObject({ kind: 'answer', status: 307 })
  expect(requests.map(({ path }) => path)).toEqual(['/api/webserver/SesTokInfo', '/api/x'])
})

test.each<[string, (response: ServerResponse) => void, RegExp, number?]>([
  ['a hang', () => undefined, /no reply in time/, 500],
  ['a reply that never ends', (response) => response.write('<response>'), /no reply in time/, 500],
  ['a closed connection', (response) => response.destroy(), /hang up|reset/],
  [
    'half a reply',
    (response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('<response>', () => response.destroy())
    },
    /aborted|reset/,
  ],
  ['a huge reply', (response) => response.end('x'.repeat(3_000_000)), /too large/],
  ['a huge header', (response) => response.writeHead(200, { x: 'x'.repeat(60_000) }).end(), /header/i],
])('reports that %s may have been carried out', async (_name, reply, why, timeoutMs = get.timeoutMs) => {
  const port = await openHilinkPort(address)
  answer = (_path, response) => reply(response)
  expect(await port.exchange({ ...get, timeoutMs })).toEqual({ kind: 'no-answer', why: expect.stringMatching(why) })
})

test('reports that a request over a refused connection was certainly not executed', async () => {
  const port = await openHilinkPort(address)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  expect(await port.exchange(get)).toMatchObject({ kind: 'not-sent', why: expect.stringContaining('refused') })
})

test('ends requests when it is closed, and sends no more', async () => {
  const port = await openHilinkPort(address)
  const reasons: string[] = []
  port.onClosed((reason) => reasons.push(reason))
  answer = () => undefined
  const pending = port.exchange(get)
  await expect.poll(() => requests.length).toBe(2)
  await port.close()
  expect(await pending).toEqual({ kind: 'no-answer', why: 'closed by the agent' })
  expect(await port.exchange(get)).toEqual({ kind: 'not-sent', why: 'closed by the agent' })
  expect(reasons).toEqual([`${address}: closed by the agent`])
  expect(requests).toHaveLength(2)
})

test.each([
  ['hilink://127.0.0.1:1', 'absent', 'connection refused'],
  ['hilink://', 'refused', 'not a valid address: use hilink://192.168.8.1'],
  ['hilink://admin:secret@192.168.8.1', 'refused', 'not a valid address'],
  ['hilink://192.168.8.1/api', 'refused', 'not a valid address'],
])('explains why %s cannot be opened', async (wrong, kind, words) => {
  expect(await tryOpenPort(wrong)).toEqual({ kind, words: expect.stringContaining(words) })
})
