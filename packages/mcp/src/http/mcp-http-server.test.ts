import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SmsGateway } from '@smsgw/client'
import { expect, onTestFinished, test } from 'vitest'
import { type Handler, inboxEvent, openStream, startApi } from '../../testing/scripted-api.ts'
import { McpHttpServer } from './mcp-http-server.ts'

const NUMBER = '+447400123456'
const KEY = 'smsgw_live_right'
const AT = '2026-03-01T08:46:11.000Z'

/** Starts an API that knows one key, and an MCP server in front of it. */
async function start(handlers: Readonly<Record<string, Handler>> = {}) {
  const session: Handler = ({ headers }, response) => {
    if (headers['authorization'] === `Bearer ${KEY}`) return { username: 'sms', scopes: [] }
    response.statusCode = 401
    return { code: 401, message: 'wrong API key', requestId: 'r1' }
  }
  const api = await startApi({ 'GET /session': session, 'GET /devices': () => [], ...handlers })
  const errors: Error[] = []
  const server = new McpHttpServer({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: ['127.0.0.1', 'sms.example.org'],
    connect: (apiKey) => new SmsGateway({ url: api.url, credentials: { apiKey }, maxRetries: 0 }),
    version: '1.2.3',
    onError: (error) => errors.push(error),
  })
  const port = await server.listen()
  let isStopped = false
  const stop = async () => {
    if (!isStopped) await server.stop()
    isStopped = true
  }
  onTestFinished(stop)
  return { ...api, port, errors, stop }
}

async function client(port: number, options: ClientOptions = {}, key = KEY): Promise<Client> {
  const one = new Client({ name: 'test', version: '1' }, options)
  const headers = { authorization: `Bearer ${key}` }
  await one.connect(
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit: { headers } }),
  )
  onTestFinished(() => one.close())
  return one
}

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
const RIGHT = {
  authorization: `Bearer ${KEY}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

/** Sends a request. Does not use `fetch`, because `fetch` cannot set `Host`. */
async function post(port: number, headers: Record<string, string> = {}, body = LIST, path = '/mcp') {
  const outgoing = request({ port, host: '127.0.0.1', method: 'POST', path, headers: { ...RIGHT, ...headers } })
  outgoing.end(body)
  const [response] = await once(outgoing, 'response')
  return { status: response.statusCode as number, headers: response.headers, text: await text(response) }
}

test.each([
  ['2025', {}],
  ['2026', { versionNegotiation: { mode: 'auto' } }],
] as const)('a client of %s lists the tools and calls one with its own key', async (_, options) => {
  const { port, requests, errors } = await start()
  const one = await client(port, options as ClientOptions)
  expect((await one.listTools()).tools).toHaveLength(7)
  const { structuredContent } = await one.callTool({ name: 'list_devices', arguments: {} })
  expect(structuredContent).toMatchObject({ devices: [] })
  expect(requests.every(({ headers }) => headers['authorization'] === `Bearer ${KEY}`)).toBe(true)
  expect(errors).toEqual([])
})

test.each([
  ['2025', {}],
  ['2026', { versionNegotiation: { mode: 'auto' } }],
] as const)('a client of %s gets progress and the reply while it waits', async (_, options) => {
  const streams: ServerResponse[] = []
  const entries: object[] = []
  const { port } = await start({
    [`GET /conversations/${NUMBER}`]: () => entries,
    'GET /events': openStream(streams),
  })
  const one = await client(port, options as ClientOptions)
  const progress: unknown[] = []
  const waiting = one.callTool(
    { name: 'wait_for_reply', arguments: { number: NUMBER, after: AT } },
    { onprogress: (step) => void progress.push(step) },
  )
  await expect.poll(() => progress.length).toBeGreaterThan(0)
  entries.push({ direction: 'in', id: 'i1', at: AT, type: 'SMS', text: 'Yes', deviceId: 'd1' })
  await expect.poll(() => streams.length).toBe(1)
  streams[0]?.write(inboxEvent(NUMBER))
  expect((await waiting).structuredContent).toMatchObject({ replies: [{ untrustedText: 'Yes' }] })
})

test('refuses a wrong or missing key with 401 before all other checks', async () => {
  const { port, requests } = await start()
  await expect(client(port, {}, 'smsgw_live_wrong')).rejects.toThrow()
  const wrong = await post(port, { authorization: 'Bearer smsgw_live_wrong' })
  expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, 'Bearer realm="smsgw"'])
  expect(wrong.text).toContain('wrong API key')
  requests.length = 0
  for (const authorization of ['', 'Basic c21zOng=', 'Bearer ', `Bearer ${'x'.repeat(600)}`])
    expect((await post(port, { authorization })).status).toBe(401)
  expect(requests).toEqual([])
})

test.each([
  ['another host', { host: 'evil.example' }, 403],
  ['a host that only begins like an allowed one', { host: '127.0.0.1.evil.example' }, 403],
  ['a web page', { origin: 'https://evil.example' }, 403],
  ['a sandboxed web page', { origin: 'null' }, 403],
  ['an origin that only contains an allowed name', { origin: 'https://evil.example/127.0.0.1' }, 403],
  ['a page of an allowed host', { origin: 'https://sms.example.org' }, 200],
  ['an allowed host with a port', { host: 'SMS.example.org:8443' }, 200],
])('a request with %s', async (_, headers, status) => {
  const { port, requests } = await start()
  expect((await post(port, headers)).status).toBe(status)
  if (status === 403) expect(requests).toEqual([])
})

test('answers each hostile request with a clear error, and continues to serve', async () => {
  const { port, errors } = await start()
  expect((await post(port, {}, 'x'.repeat(300_000))).status).toBe(413)
  expect((await post(port, {}, '{"jsonrpc":')).status).toBe(400)
  expect((await post(port, {}, '[]')).status).toBe(400)
  expect((await post(port, { 'content-type': 'text/plain' })).status).toBe(415)
  expect((await post(port, {}, LIST, '/')).status).toBe(404)
  expect((await post(port, {}, LIST, '//evil.example/mcp')).status).toBe(404)
  expect((await post(port, { 'mcp-session-id': 'unknown' })).status).toBe(200)
  for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS'])
    expect((await fetch(`http://127.0.0.1:${port}/mcp`, { method, headers: RIGHT })).status).toBe(405)
  expect((await post(port)).status).toBe(200)
  expect(errors.filter(({ name }) => name === 'TypeError')).toEqual([])
})

test('closes a thousand idle connections, and still answers after that', async () => {
  const { port } = await start()
  const sockets: Socket[] = []
  for (let count = 0; count < 1_000; count += 1) {
    const socket = connect(port, '127.0.0.1')
      .on('error', () => socket.destroy())
      .resume()
    socket.write('POST /mcp HTTP/1.1\r\nHost: 127')
    sockets.push(socket)
  }
  await expect.poll(() => sockets.every(({ destroyed }) => destroyed), { interval: 200 }).toBe(true)
  expect((await post(port)).status).toBe(200)
})

test('allows at most 20 open requests per key; when a client disconnects, its request ends', async () => {
  const streams: ServerResponse[] = []
  const { port } = await start({ [`GET /conversations/${NUMBER}`]: () => [], 'GET /events': openStream(streams) })
  const params = { name: 'wait_for_reply', arguments: { number: NUMBER } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const leaving = new AbortController()
  const waits = Array.from({ length: 20 }, () =>
    fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers: RIGHT, body, signal: leaving.signal }).then(
      (response) => response.text(),
    ),
  )
  const ended = Promise.allSettled(waits)
  await expect.poll(() => streams.length).toBe(20)
  const refused = await post(port)
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5'])
  leaving.abort()
  await ended
  await expect.poll(async () => (await post(port)).status).toBe(200)
  await expect.poll(() => streams.every(({ destroyed }) => destroyed)).toBe(true)
})

test('stopping the server ends requests that wait', async () => {
  const streams: ServerResponse[] = []
  const { port, stop } = await start({ [`GET /conversations/${NUMBER}`]: () => [], 'GET /events': openStream(streams) })
  const params = { name: 'wait_for_reply', arguments: { number: NUMBER } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const waiting = fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers: RIGHT, body })
  const failed = expect(waiting.then((response) => response.text())).rejects.toThrow()
  await expect.poll(() => streams.length).toBe(1)
  await stop()
  await failed
  await expect.poll(() => streams[0]?.destroyed).toBe(true)
})
