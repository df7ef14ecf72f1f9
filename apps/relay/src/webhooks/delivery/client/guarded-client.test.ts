import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type AddressRules, addressRules } from '../../address-rules.ts'
import { answerWith, type TestReceiver, type TestReceiverOptions, testReceiver } from '../../testing/test-receiver.ts'
import type { ExchangeLimits } from './exchange.ts'
import { GuardedClient } from './guarded-client.ts'
import type { ResolveHost } from './resolve-host.ts'

/** One loopback address is allowed, and another is not. */
const ALLOWED = '127.0.0.1'
const FORBIDDEN = '127.0.0.2'
const rules = addressRules({ allowHttp: true, allowNetworks: [ALLOWED, '::1'], localServerMode: false })
const strict = addressRules({ allowHttp: true, allowNetworks: [], localServerMode: false })

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
})

async function receiver(options?: TestReceiverOptions): Promise<TestReceiver> {
  const made = await testReceiver(options)
  ending.push(() => made.close())
  return made
}

function client(
  about: {
    readonly rules?: AddressRules
    readonly resolve?: ResolveHost
    readonly limits?: Partial<ExchangeLimits>
  } = {},
): GuardedClient {
  const made = new GuardedClient(about.rules ?? rules, about)
  ending.push(() => made.close())
  return made
}

const post = (to: GuardedClient, url: string) => to.post(url, { 'content-type': 'application/json' }, '{"a":1}')
const addresses = (...of: string[]) => of.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

/** Listens on a forbidden address and counts the connections to it. */
async function trap(host = FORBIDDEN, port = 0): Promise<{ readonly port: number; readonly visits: number }> {
  let visits = 0
  const server = createServer((socket) => {
    visits += 1
    socket.destroy()
  })
  server.listen(port, host)
  await once(server, 'listening')
  ending.push(() => server.close())
  return {
    port: (server.address() as AddressInfo).port,
    get visits() {
      return visits
    },
  }
}

/** A TCP server. The test decides how the server handles the bytes of a connection. */
async function socketServer(serve: (socket: Socket, data: string) => void): Promise<{ readonly url: string }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', (data) => serve(socket, data.toString()))
  })
  server.listen(0, ALLOWED)
  await once(server, 'listening')
  ending.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url: `http://${ALLOWED}:${(server.address() as AddressInfo).port}/` }
}

test('posts, and returns the beginning of the response and the address', async () => {
  const there = await receiver({ answer: answerWith(201, { 'retry-after': '7' }, 'thank you') })
  const outcome = await post(client(), `${there.url}sms?key=1#part`)
  expect(outcome).toEqual({
    kind: 'replied',
    reply: { status: 201, retryAfter: '7', contentType: undefined, excerpt: 'thank you', isWhole: true },
    address: ALLOWED,
  })
  expect(there.requests).toMatchObject([{ url: '/sms?key=1', body: '{"a":1}' }])
})

describe('refuses forbidden addresses', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['localhost', '127.0.0.1'],
    ['[::1]', '::1'],
    ['[::ffff:127.0.0.1]', '127.0.0.1'],
    ['[0:0:0:0:0:ffff:7f00:1]', '127.0.0.1'],
  ])('does not call %s, although a server listens there', async (host, address) => {
    const there = await trap(address)
    expect(await post(client({ rules: strict }), `http://${host}:${there.port}/`)).toMatchObject({
      kind: 'failed',
      error: expect.stringContaining('not public'),
    })
    expect(there.visits).toBe(0)
  })

  test('does not call a name if any of its addresses is forbidden', async () => {
    const there = await trap()
    for (const found of [addresses(FORBIDDEN), addresses(ALLOWED, FORBIDDEN), addresses('::1', FORBIDDEN), []])
      expect(await post(client({ resolve: async () => found }), `http://example.com:${there.port}/`)).toMatchObject({
        kind: 'failed',
        error: expect.stringMatching(/resolves to 127\.0\.0\.2, which is not public|has no address/),
      })
    expect(there.visits).toBe(0)
  })

  test('does not call a forbidden address of a name that changes at each look-up', async () => {
    const bad = await trap()
    const good = await receiver({ port: bad.port, answer: answerWith(200, { connection: 'close' }) })
    let requested = 0
    const there = client({ resolve: async () => addresses(requested++ % 2 === 0 ? ALLOWED : FORBIDDEN) })
    const kinds: string[] = []
    for (let call = 0; call < 20; call++) kinds.push((await post(there, `http://example.com:${bad.port}/`)).kind)
    expect(kinds).toEqual(Array.from({ length: 10 }, () => ['replied', 'failed']).flat())
    expect(requested).toBe(20)
    expect(good.requests).toHaveLength(10)
    expect(bad.visits).toBe(0)
  })

  test('checks the address for each connection', async () => {
    const there = await receiver({ answer: answerWith(200, { connection: 'close' }) })
    const allowNetworks = [ALLOWED]
    const same = client({ rules: { allowHttp: true, allowNetworks } })
    expect(await post(same, there.url)).toMatchObject({ kind: 'replied' })
    allowNetworks.pop()
    expect(await post(same, there.url)).toMatchObject({ error: expect.stringContaining('not public') })
    expect(there.connections).toBe(1)
  })

  test('does not follow redirects', async () => {
    const bad = await trap()
    const there = await receiver({ answer: answerWith(307, { location: `http://${FORBIDDEN}:${bad.port}/` }) })
    expect(await post(client(), there.url)).toMatchObject({ kind: 'replied', reply: { status: 307 } })
    expect(bad.visits).toBe(0)
  })

  test('ignores proxies in the environment', async () => {
    const proxy = await trap(ALLOWED)
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'])
      vi.stubEnv(name, `http://${ALLOWED}:${proxy.port}`)
    ending.push(() => vi.unstubAllEnvs())
    const there = await receiver()
    expect(await post(client(), there.url)).toMatchObject({ kind: 'replied' })
    expect(proxy.visits).toBe(0)
  })
})

describe('reaches', () => {
  test('reaches an IPv6 address, as a literal or through a name', async () => {
    const there = await receiver({ host: '::1' })
    const named = client({ resolve: async () => addresses('::1') })
    expect(await post(client(), there.url)).toMatchObject({ kind: 'replied', address: '::1' })
    expect(await post(named, `http://example.com:${there.port}/`)).toMatchObject({ kind: 'replied', address: '::1' })
    expect(there.requests.map(({ headers }) => headers.host)).toEqual([
      `[::1]:${there.port}`,
      `example.com:${there.port}`,
    ])
  })

  test('reaches a name with several addresses of which the first is dead', async () => {
    const there = await receiver()
    const named = client({ resolve: async () => addresses('::1', ALLOWED) })
    expect(await post(named, `http://example.com:${there.port}/`)).toMatchObject({ kind: 'replied', address: ALLOWED })
  })

  test('reaches localhost through the operating system', async () => {
    const there = await receiver()
    expect(await post(client(), `http://localhost:${there.port}/`)).toMatchObject({ kind: 'replied' })
  })
})

describe('has timeouts', () => {
  // Each test shortens one limit. The other limits never end an attempt, even on a very busy machine.
  const hour = 3_600_000
  const limits = { connectMs: hour, totalMs: hour, bodyMs: hour, excerptBytes: 10, bodyBytes: 50 }

  test('has a timeout for the look-up of a name', async () => {
    const there = client({ limits: { ...limits, connectMs: 200 }, resolve: () => new Promise(() => undefined) })
    expect(await post(there, 'http://example.com/')).toMatchObject({ error: 'no connection within 0.2 s' })
  })

  test('has a timeout for a missing response', async () => {
    const there = await receiver({ answer: () => undefined })
    const patient = client({ limits: { ...limits, totalMs: 400 } })
    expect(await post(patient, there.url)).toMatchObject({ error: 'no answer within 0.4 s' })
  })

  test('has a timeout for a response that arrives byte by byte', async () => {
    const there = await socketServer((socket) => {
      const dripping = setInterval(() => socket.write('H'), 20)
      socket.on('close', () => clearInterval(dripping))
    })
    const patient = client({ limits: { ...limits, totalMs: 400 } })
    expect(await post(patient, there.url)).toMatchObject({ kind: 'failed' })
  })

  test('has a timeout for a body after the status', async () => {
    const there = await receiver({
      answer(response) {
        response.writeHead(200).flushHeaders()
        const dripping = setInterval(() => response.write('x'), 20)
        response.on('close', () => clearInterval(dripping))
      },
    })
    const outcome = await post(client({ limits: { ...limits, bodyMs: 100, bodyBytes: 1_000_000 } }), there.url)
    expect(outcome).toMatchObject({ kind: 'replied', reply: { status: 200, excerpt: expect.stringMatching(/^x*$/) } })
  })

  test('has a timeout for an endless body, of which it reads only an excerpt', async () => {
    const closed = Promise.withResolvers<void>()
    const there = await receiver({
      answer(response) {
        response.writeHead(200)
        const more = () => {
          while (!response.destroyed && response.write('a'.repeat(10_000)));
        }
        response.on('drain', more)
        response.on('close', closed.resolve)
        more()
      },
    })
    expect(await post(client({ limits }), there.url)).toMatchObject({
      kind: 'replied',
      reply: { status: 200, excerpt: 'aaaaaaaaaa' },
    })
    await closed.promise
  })
})

describe('a connection', () => {
  test('a connection serves one request after the other', async () => {
    const there = await receiver({ answer: answerWith(200, {}, 'ok') })
    const same = client()
    for (let call = 0; call < 5; call++) await post(same, there.url)
    expect(there.requests).toHaveLength(5)
    expect(there.connections).toBe(1)
  })

  test('a connection closed while idle is not a failure, because the request uses another connection', async () => {
    const seen: number[] = []
    let connections = 0
    const numbers = new Map<Socket, number>()
    const there = await socketServer((socket) => {
      const served = numbers.get(socket)
      if (served !== undefined) return socket.resetAndDestroy()
      numbers.set(socket, ++connections)
      seen.push(connections)
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    })
    const same = client()
    for (let call = 0; call < 4; call++) expect(await post(same, there.url)).toMatchObject({ kind: 'replied' })
    expect(seen).toEqual([1, 2, 3, 4])
  })

  test('a connection opened for the request and closed before a response is a failure, after one try', async () => {
    let requests = 0
    const there = await socketServer((socket) => {
      requests += 1
      socket.destroy()
    })
    expect(await post(client(), there.url)).toMatchObject({
      kind: 'failed',
      error: 'connection closed before a response arrived',
    })
    expect(requests).toBe(1)
  })

  test('a connection closed in the middle of a response still returns the response', async () => {
    const there = await socketServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'))
    expect(await post(client(), there.url)).toMatchObject({ kind: 'replied', reply: { status: 200, excerpt: 'short' } })
  })

  test('a connection that is refused or uses another protocol fails with a description', async () => {
    const { port } = await trap()
    expect(await post(client(), `http://${ALLOWED}:${port}/`)).toMatchObject({ error: 'connection refused' })
    const there = await socketServer((socket) => socket.end('220 mail.example ESMTP\r\n'))
    expect(await post(client(), there.url)).toMatchObject({ error: 'the response is not valid HTTP' })
  })

  test('a connection is aborted when the client is closed, and this is not a failure of the receiver', async () => {
    const there = await receiver({ answer: () => undefined })
    const same = client()
    const posting = post(same, there.url)
    await expect.poll(() => there.requests).toHaveLength(1)
    await same.close()
    expect(await posting).toEqual({ kind: 'broken-off' })
  })
})

test('does not decompress a response, and replaces invalid text', async () => {
  const answer = Buffer.concat([gzipSync('a'.repeat(1_000_000)), Buffer.from('\0')]).toString('latin1')
  const there = await receiver({
    answer: (response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.from(answer, 'latin1')),
  })
  const outcome = await post(client(), there.url)
  const excerpt = outcome.kind === 'replied' ? outcome.reply.excerpt : ''
  expect(excerpt.length).toBeGreaterThan(0)
  expect(excerpt).not.toContain('aaaa')
  expect(excerpt).not.toContain('\0')
})

describe('over TLS', () => {
  const folder = join(import.meta.dirname, '../../../testing/certificate')
  const tls = {
    key: readFileSync(join(folder, 'first.key'), 'utf8'),
    cert: readFileSync(join(folder, 'first.crt'), 'utf8'),
  }
  const usual = getCACertificates('default')
  beforeEach(() => void ending.push(() => setDefaultCACertificates(usual)))

  test('accepts a trusted certificate for the name', async () => {
    const there = await receiver({ tls })
    setDefaultCACertificates([...usual, tls.cert])
    const named = client({ resolve: async () => addresses(ALLOWED) })
    expect(await post(client(), `https://localhost:${there.port}/`)).toMatchObject({ kind: 'replied' })
    expect(await post(named, `https://example.com:${there.port}/`)).toMatchObject({
      error: expect.stringContaining('the certificate is not trusted'),
    })
    expect(there.requests).toHaveLength(1)
  })

  test('refuses any other certificate, even if the environment disables the check', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    ending.push(() => vi.unstubAllEnvs())
    // Hides a warning of Node.js, which is correct and expected.
    vi.spyOn(process, 'emitWarning').mockReturnValue()
    ending.push(() => vi.restoreAllMocks())
    const there = await receiver({ tls })
    expect(await post(client(), `https://localhost:${there.port}/`)).toMatchObject({
      error: expect.stringContaining('the certificate is not trusted'),
    })
    expect(there.requests).toEqual([])
  })

  test('reports a server that speaks plain HTTP', async () => {
    const there = await receiver()
    expect(await post(client(), `https://localhost:${there.port}/`)).toMatchObject({
      error: expect.stringContaining('TLS handshake failed'),
    })
  })
})
