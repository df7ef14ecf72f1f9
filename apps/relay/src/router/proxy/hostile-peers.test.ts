import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type TestRouter, type TestUpstream, testRouter, testUpstream } from '../testing/test-router.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const basic = (user: string) => `Authorization: Basic ${Buffer.from(`${user}:secret`).toString('base64')}\r\n`
const ALICE = basic('alice')

async function upstream(answer: Parameters<typeof testUpstream>[0]): Promise<TestUpstream> {
  const started = await testUpstream(answer)
  closers.push(() => started.close())
  return started
}

async function router(
  one: readonly string[],
  two: readonly string[] = [],
  proxies: string[] = [],
): Promise<TestRouter> {
  const started = await testRouter({ one, two }, proxies)
  closers.push(() => started.close())
  return started
}

/** A relay that answers with the method, the target, the headers and the body that it got. */
const echo = () =>
  upstream((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { method, url, rawHeaders } = request
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ method, url, rawHeaders, body }))
    })
  })

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))
const STATUS = /^HTTP\/1\.1 (\d{3})/
const statusOf = (answer: string) => Number(STATUS.exec(answer)?.[1])

test('headers for one connection are not passed on, in either direction', async () => {
  const relay = await upstream((request, response) => {
    response.writeHead(200, ['Connection', 'X-Hop', 'X-Hop', '1', 'Keep-Alive', 'timeout=1', 'X-End', '2'])
    response.end(JSON.stringify(request.rawHeaders))
  })
  const { connect } = await router([relay.url])
  const client = connect(
    `GET /a HTTP/1.1\r\nHost: h\r\n${ALICE}Connection: close, X-Mine\r\nX-Mine: 1\r\nTE: trailers\r\nX-Other: 2\r\n\r\n`,
  )
  await client.ended
  expect(client.received()).toMatch(/X-End: 2/i)
  expect(client.received()).not.toMatch(/X-Hop|timeout=1/i)
  expect(client.received()).toMatch(/"X-Other","2"/)
  expect(client.received()).not.toMatch(/X-Mine|trailers/i)
})

test('a client cannot make the router drop the length or the host with the header Connection', async () => {
  const relay = await echo()
  const { connect } = await router([relay.url])
  const client = connect(
    `POST /a HTTP/1.1\r\nHost: h\r\n${ALICE}Connection: close, Content-Length, Host\r\nContent-Length: 4\r\n\r\nbody`,
  )
  await client.ended
  expect(bodyOf(client.received())).toMatchObject({ body: 'body' })
  expect(client.received()).toMatch(/"Host","h"/)
})

test.each(['Authorization', 'X-API-Key', 'Access-Token', 'Cookie'])(
  'a client cannot make the router drop the credentials in %s, which the router has read',
  async (name) => {
    const relay = await echo()
    const { connect } = await router([relay.url])
    const client = connect(`GET /a HTTP/1.1\r\nHost: h\r\nConnection: close, ${name}\r\n${name}: mine\r\n\r\n`)
    await client.ended
    expect(client.received()).toContain('"mine"')
  },
)

test('what a client says about proxies is dropped, unless the client is a trusted proxy', async () => {
  const relay = await echo()
  const request = `GET /a HTTP/1.1\r\nHost: h\r\n${ALICE}Connection: close\r\nX-Forwarded-For: 192.0.2.1\r\n\
X-Forwarded-Proto: https\r\nX-Forwarded-Host: evil\r\nForwarded: for=192.0.2.1\r\nX-Smsgw-Challenge: x\r\n\r\n`
  for (const [proxies, address, scheme] of [
    [[], '127.0.0.1', 'http'],
    [['127.0.0.1'], '192.0.2.1', 'https'],
  ] as const) {
    const { connect } = await router([relay.url], [], [...proxies])
    const client = connect(request)
    await client.ended
    const { rawHeaders } = bodyOf(client.received())
    const forwarded = rawHeaders.filter((_: string, at: number) =>
      /^(x-forwarded|forwarded|x-smsgw)/i.test(rawHeaders[at - (at % 2)]),
    )
    expect(forwarded).toEqual(['X-Forwarded-For', address, 'X-Forwarded-Proto', scheme])
  }
})

test.each([
  [
    'a length and a transfer coding',
    'POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['two lengths', 'POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd'],
  ['a length that is not a number', 'POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: +4\r\n\r\nabcd'],
  ['an unknown transfer coding', 'POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
  ['a coding before chunked', 'POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
  ['a space before a colon', 'POST /a HTTP/1.1\r\nHost: h\r\nContent-Length : 4\r\n\r\nabcd'],
  ['two hosts', 'GET /a HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n'],
  ['no host', 'GET /a HTTP/1.1\r\n\r\n'],
  ['a whole URL', 'GET http://other/ HTTP/1.1\r\nHost: h\r\n\r\n'],
  ['a folded header', 'GET /a HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n'],
  ['a line feed in a header', 'GET /a HTTP/1.1\r\nHost: h\r\nX: a\nContent-Length: 3\r\n\r\nabc'],
  ['a NUL in a header', 'GET /a HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n'],
  ['no HTTP', 'hello\r\n\r\n'],
])('a request that two servers could read differently is refused and not passed on: %s', async (_, text) => {
  let count = 0
  const relay = await upstream((request, response) => {
    count += 1
    response.end()
    request.resume()
  })
  const { connect } = await router([relay.url])
  const client = connect(text)
  await client.until(STATUS)
  expect(statusOf(client.received())).toBe(400)
  expect(count).toBe(0)
})

test('headers that are too large are refused', async () => {
  const { connect } = await router([])
  const client = connect(`GET /a HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)
  await client.until(STATUS)
  expect(statusOf(client.received())).toBe(431)
})

test('CONNECT is refused', async () => {
  const { connect } = await router([])
  const client = connect('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n')
  await client.until(STATUS)
  expect(statusOf(client.received())).toBe(404)
})

test.each([
  ['//health//ready', '"status":"pass"'],
  ['/health/live/', '"status":"pass"'],
  ['//.well-known//jwks.json', '"keys":'],
])('the router answers %s itself, as a relay ignores repeated slashes', async (path, body) => {
  const relay = await upstream((_, response) => response.end('{"keys":[],"of":"a relay"}'))
  const { connect } = await router([relay.url], [relay.url])
  const answer = await connect(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`).until(/\}/)
  expect(answer).toContain(body)
  expect(answer).not.toContain('a relay')
})

test('a body is passed on while it arrives, and is not held', async () => {
  let first: ((chunk: string) => void) | undefined
  const arrived = new Promise<string>((resolve) => {
    first = resolve
  })
  const relay = await upstream((request, response) => {
    request.once('data', (chunk) => first?.(String(chunk)))
    request.on('end', () => response.end('done'))
  })
  const { connect } = await router([relay.url])
  const client = connect(`POST /a HTTP/1.1\r\nHost: h\r\n${ALICE}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`)
  expect(await arrived).toBe('hello')
  client.socket.write('0\r\n\r\n')
  expect(await client.until(/done/)).toMatch(STATUS)
})

test('an answer is passed on while it arrives, and the headers of a stream at once', async () => {
  const relay = await upstream((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
  })
  const { connect } = await router([relay.url])
  const client = connect(`GET /events HTTP/1.1\r\nHost: h\r\n${ALICE}\r\n`)
  await client.until(/text\/event-stream[\s\S]*\r\n\r\n/)
})

test('a client that waits for 100 Continue gets it from the relay, or the refusal without a body', async () => {
  const relay = await echo()
  relay.server.on('checkContinue', (request, response) => {
    if (request.url === '/refused') {
      response.writeHead(413, { connection: 'close' }).end()
      return
    }
    response.writeContinue()
    relay.server.emit('request', request, response)
  })
  const { connect } = await router([relay.url])
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: h\r\n${ALICE}Expect: 100-continue\r\nContent-Length: 4\r\n\r\n`
  const client = connect(head('/a'))
  await client.until(/^HTTP\/1\.1 100 /)
  client.socket.write('body')
  expect(bodyOf(await client.until(/\}/))).toMatchObject({ body: 'body' })
  const refused = connect(head('/refused'))
  await refused.until(/^HTTP\/1\.1 413 /)
})

test('a client that waits for 100 Continue gets it from the router if its credentials are in the body', async () => {
  const relay = await echo()
  const { connect } = await router([relay.url])
  const client = connect(`POST /session HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n`)
  await client.until(/^HTTP\/1\.1 100 /)
  client.socket.write('body')
  await client.until(/"body":"body"/)
  expect(client.received().match(/HTTP\/1\.1 /g)).toHaveLength(2)
})

test('credentials that are not found while a cell cannot be read get 503, and not 401', async () => {
  const relay = await echo()
  const { connect, directory } = await router([relay.url])
  directory.isComplete = false
  const client = connect(`GET /a HTTP/1.1\r\nHost: h\r\nAuthorization: Basic ${btoa('nobody:password')}\r\n\r\n`)
  await client.until(STATUS)
  expect(statusOf(client.received())).toBe(503)
})

test('an answer before the end of a body reaches the client, and the connection ends', async () => {
  const relay = await upstream((request, response) => {
    request.resume()
    response.writeHead(413, { 'content-length': '5' }).end('large')
  })
  const { connect } = await router([relay.url])
  const client = connect(
    `POST /a HTTP/1.1\r\nHost: h\r\n${ALICE}Content-Length: 50000000\r\n\r\n${'x'.repeat(500_000)}`,
  )
  await client.until(/413[\s\S]*large/)
  await client.ended
})

test('a relay that breaks off an answer breaks off the connection to the client, so that no part looks complete', async () => {
  const relay = await upstream((_, response) => {
    response.writeHead(200)
    response.write('half of it')
    setImmediate(() => response.socket?.destroy())
  })
  const { connect } = await router([relay.url])
  const client = connect(`GET /a HTTP/1.1\r\nHost: h\r\n${ALICE}\r\n`)
  await client.ended
  expect(client.received()).not.toMatch(/\r\n0\r\n\r\n$/)
})

test('a client that disconnects ends its request at the relay', async () => {
  let onClosed: (() => void) | undefined
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve
  })
  const relay = await upstream((request, response) => {
    response.on('close', () => onClosed?.())
    response.writeHead(200)
    response.write('begun')
    request.resume()
  })
  const { connect, pool } = await router([relay.url])
  const client = connect(`GET /a HTTP/1.1\r\nHost: h\r\n${ALICE}\r\n`)
  await client.until(/begun/)
  client.socket.destroy()
  await closed
  await expect.poll(() => pool.targets('one')[0]?.inFlight, { timeout: 60_000 }).toBe(0)
})

test('a client that closes its half of the connection ends its request at the relay', async () => {
  const relay = await upstream(() => undefined)
  const { connect, pool } = await router([relay.url])
  const client = connect(`GET /half HTTP/1.1\r\nHost: h\r\n${ALICE}\r\n`)
  await expect.poll(() => pool.targets('one')[0]?.inFlight, { timeout: 60_000 }).toBe(1)
  client.socket.end()
  await client.ended
  await expect.poll(() => pool.targets('one')[0]?.inFlight, { timeout: 60_000 }).toBe(0)
})

test('a client that does not read slows down the relay, and not the memory of the router', async () => {
  let sent = 0
  const relay = await upstream((_, response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(65_536)
    const send = () => {
      for (let isFree = true; isFree && sent < MOST; sent += chunk.length) isFree = response.write(chunk)
      response.once('drain', send)
    }
    send()
  })
  const { connect } = await router([relay.url])
  const client = connect(`GET /a HTTP/1.1\r\nHost: h\r\n${ALICE}\r\n`)
  client.socket.pause()
  // The buffers of the sockets fill up, and then nothing more is sent.
  let before = -1
  await expect
    .poll(
      () => {
        const isStill = sent === before
        before = sent
        return isStill && sent > 0
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe(true)
  expect(sent).toBeLessThan(MOST / 2)
})

/** More than the buffers of all sockets together. */
const MOST = 256 * 1_048_576

test('a request goes to the next relay if the first one refuses the connection', async () => {
  const relay = await echo()
  const closed = await testUpstream(() => undefined)
  await closed.close()
  const { connect } = await router([closed.url, relay.url])
  for (let turn = 0; turn < 4; turn += 1) {
    const client = connect(`POST /a HTTP/1.1\r\nHost: h\r\n${ALICE}Content-Length: 4\r\n\r\nbody`)
    expect(bodyOf(await client.until(/\}/))).toMatchObject({ body: 'body' })
  }
})

/** A router with two relays that break off each connection after they have read a request. */
async function routerOfBreakingRelays() {
  let count = 0
  const breaking = () =>
    upstream((request) => {
      count += 1
      request.socket.destroy()
    })
  const { connect } = await router([(await breaking()).url, (await breaking()).url])
  return { connect: (text: string) => connect(text), requests: () => count }
}

test('a request that may have taken effect is not sent twice', async () => {
  const { connect, requests } = await routerOfBreakingRelays()
  const post = connect(`POST /a HTTP/1.1\r\nHost: h\r\n${ALICE}Content-Length: 4\r\n\r\nbody`)
  await post.until(STATUS)
  expect([statusOf(post.received()), requests()]).toEqual([502, 1])
  const get = connect(`GET /a HTTP/1.1\r\nHost: h\r\n${ALICE}\r\n`)
  await get.until(STATUS)
  expect([statusOf(get.received()), requests()]).toEqual([503, 3])
})

test.each(['/cgi-bin/sendsms', '//cgi-bin/%73endsms', '/http_api/send_sms'])(
  'a GET request that sends a message is not sent twice: %s',
  async (path) => {
    const { connect, requests } = await routerOfBreakingRelays()
    const get = connect(`GET ${path} HTTP/1.1\r\nHost: h\r\n${ALICE}\r\n`)
    await get.until(STATUS)
    expect([statusOf(get.received()), requests()]).toEqual([502, 1])
  },
)

test('an account whose relays are unavailable gets 503 with Retry-After, and others are served', async () => {
  const relay = await echo()
  const closed = await testUpstream(() => undefined)
  await closed.close()
  const { connect } = await router([closed.url], [relay.url])
  const client = connect(`GET /a HTTP/1.1\r\nHost: h\r\n${ALICE}Accept: application/problem+json\r\n\r\n`)
  const answer = await client.until(/\}/)
  expect(statusOf(answer)).toBe(503)
  expect(answer).toMatch(/retry-after: \d+/i)
  expect(bodyOf(answer)).toMatchObject({ status: 503, type: 'about:blank' })
  const other = connect(`GET /b HTTP/1.1\r\nHost: h\r\n${basic('bob')}\r\n`)
  expect(bodyOf(await other.until(/\}/))).toMatchObject({ url: '/b' })
})

test('a relay that accepts connections and never answers does not answer for the router', async () => {
  const sockets: Socket[] = []
  const silent = createTcpServer((socket) => sockets.push(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => silent.close(resolve))
  })
  const { connect, pool } = await router([`http://127.0.0.1:${(silent.address() as AddressInfo).port}`])
  await expect.poll(() => pool.hasHealthy('one'), { timeout: 60_000 }).toBe(false)
  const health = connect('GET /health/ready HTTP/1.1\r\nHost: h\r\n\r\n')
  expect(statusOf(await health.until(/\}/))).toBe(503)
})

test('a request waits while its account moves, and is answered by the new cell', async () => {
  const [one, two] = [await echo(), await echo()]
  let count = 0
  one.server.on('request', ({ url }) => {
    if (url === '/moved') count += 1
  })
  const { connect, directory, placements } = await router([one.url], [two.url])
  directory.place('alice', 'one', true)
  await expect.poll(() => placements.isMoving('alice')).toBe(true)
  const client = connect(`POST /moved HTTP/1.1\r\nHost: h\r\n${ALICE}Content-Length: 4\r\n\r\nbody`)
  const healthy = connect('GET /health/ready HTTP/1.1\r\nHost: h\r\n\r\n')
  await healthy.until(/pass/)
  expect(client.received()).toBe('')
  directory.place('alice', 'two')
  expect(bodyOf(await client.until(/\}/))).toMatchObject({ url: '/moved', body: 'body' })
  expect(count).toBe(0)
})
