import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { rootRoute } from '../route.ts'
import { type TestServer, testServer } from '../testing/test-server.ts'
import { BODY_LIMIT_BYTES, PUBLIC_BODY_LIMIT_BYTES } from './read-json-body.ts'

let server: TestServer
beforeAll(async () => {
  const echo = endpoint({
    body: z.unknown(),
    answers: { 200: z.unknown() },
    handle: async ({ body }) => ({ status: 200, body: { body } }),
  })
  const routes = [
    rootRoute('POST', '/echo', 'messages:send', 'Echo', echo),
    rootRoute('POST', '/mms', 'messages:send', 'Echo', {
      ...echo,
      mostBodyBytes: 2 * BODY_LIMIT_BYTES,
      largeBodyMember: 'mms',
    }),
    rootRoute('POST', '/strangers', 'public', 'Echo without credentials', echo),
  ]
  server = await testServer({ routes })
})
afterAll(() => server[Symbol.asyncDispose]())

const ALL = { authorization: 'all:any' }
type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

async function answerTo(body: Body, type = 'application/json', more: Record<string, string> = {}) {
  const response = await server.send('POST', '/echo', { body, headers: { ...ALL, 'content-type': type, ...more } })
  return { status: response.status, ...((await response.json()) as { body?: unknown; message?: string }) }
}

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=latin1;x="y"',
  'Application/JSON ; q',
])('%s is JSON', async (type) => {
  expect(await answerTo('{"a":"é"}', type)).toEqual({ status: 200, body: { a: 'é' } })
})

test.each([
  'text/plain',
  'application/jsonp',
  'application/json, text/plain',
  'application/problem+json',
  'application/\tjson',
  'application/json\tx',
  'multipart/form-data; boundary=application/json',
  '!',
])('%s is not JSON', async (type) => {
  expect(await answerTo('{}', type)).toMatchObject({ status: 415 })
})

test('a body without a type is refused', async () => {
  const answer = await server.raw(
    'POST /echo HTTP/1.1\r\nAuthorization: all:any\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
  )
  expect(answer).toMatch(/^HTTP\/1\.1 415 /)
})

test.each([
  ['no length', 'Host: x'],
  ['a length of 0', 'Host: x\r\nContent-Length: 0\r\nContent-Type: application/json'],
  ['an invalid type', 'Host: x\r\nContent-Length: 0\r\nContent-Type: ;;;'],
])('an empty body counts as missing: %s', async (_, headers) => {
  const answer = await server.raw(
    `POST /echo HTTP/1.1\r\nAuthorization: all:any\r\nConnection: close\r\n${headers}\r\n\r\n`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\n\{\}$/s)
})

test('an empty chunked body counts as missing', async () => {
  const head =
    'POST /echo HTTP/1.1\r\nAuthorization: all:any\r\nHost: x\r\nConnection: close\r\nContent-Type: text/css\r\n'
  expect(await server.raw(`${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)).toMatch(/\r\n\r\n\{\}$/)
})

test('a compressed body is refused', async () => {
  expect(await answerTo('x', 'application/json', { 'content-encoding': 'gzip' })).toMatchObject({ status: 415 })
  expect(await answerTo('{}', 'application/json', { 'content-encoding': 'identity' })).toMatchObject({ status: 200 })
})

test('accepts 256 KiB and refuses one octet more, in one piece or in chunks', async () => {
  const full = `"${'x'.repeat(BODY_LIMIT_BYTES - 2)}"`
  expect((await answerTo(full)).status).toBe(200)
  expect(await answerTo(`${full} `)).toMatchObject({ status: 413 })
  expect(await answerTo(new Blob([`${full} `]).stream())).toMatchObject({ status: 413 })
})

test.each([
  ['text', 'x'.repeat(BODY_LIMIT_BYTES + 1), 'application/json'],
  ['JSON that is cut off', `{"mms":{},"text":"${'x'.repeat(BODY_LIMIT_BYTES)}`, 'application/json'],
  ['JSON with another media type', `{"mms":{},"text":"${'x'.repeat(BODY_LIMIT_BYTES)}"}`, 'text/plain'],
  ['text that is not UTF-8', Uint8Array.from({ length: BODY_LIMIT_BYTES + 1 }, () => 0xff), 'application/json'],
  ['JSON with a NUL', `{"text":"\\u0000${'x'.repeat(BODY_LIMIT_BYTES)}"}`, 'application/json'],
])('above 256 KiB, %s is answered with 413 where only some contents may be larger', async (_, body, type) => {
  const response = await server.send('POST', '/mms', { body, headers: { ...ALL, 'content-type': type } })
  expect([response.status, await response.json()]).toEqual([
    413,
    expect.objectContaining({ message: expect.stringMatching(/^The body is larger than 256 KiB: send a smaller one/) }),
  ])
})

test('a content that may be larger is accepted, and its other errors are reported', async () => {
  const headers = { ...ALL, 'content-type': 'application/json' }
  const statusOf = async (text: string) => {
    const body = `{"mms":{},"text":"${text}${'x'.repeat(BODY_LIMIT_BYTES)}"}`
    return (await server.send('POST', '/mms', { body, headers })).status
  }
  expect([await statusOf(''), await statusOf('\\u0000')]).toEqual([200, 400])
})

test('accepts only a small body from a caller without credentials', async () => {
  const headers = { 'content-type': 'application/json' }
  const full = `"${'x'.repeat(PUBLIC_BODY_LIMIT_BYTES - 2)}"`
  const send = async (body: string) => (await server.send('POST', '/strangers', { headers, body })).status
  expect([await send(full), await send(`${full} `)]).toEqual([200, 413])
})

test('a caller that sends far too much can read the answer and continue', async () => {
  const [first, second] = [await answerTo('x'.repeat(20_000_000)), await answerTo('{}')]
  expect([first.status, second.status]).toEqual([413, 200])
})

test.each(['{', '{"a":1,}', "{'a':1}", '01', '"\n"', '{"a":1}{', 'NaN', '[1,]'])(
  '%j is not valid JSON',
  async (body) => {
    expect(await answerTo(body)).toMatchObject({ status: 400 })
  },
)

test('an error contains the position in the JSON, but not the content', async () => {
  expect((await answerTo('{\n  "a": 1,}')).message).toContain('line 2 column 10')
  expect((await answerTo('{\n  "password": secret }')).message).not.toContain('secret')
})

test.each([
  ['invalid', [0x22, 0xff, 0x22]],
  ['overlong', [0x22, 0xc0, 0x80, 0x22]],
  ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ['cut off', [0x22, 0xe2, 0x82]],
])('%s UTF-8 is refused', async (_, octets) => {
  expect(await answerTo(Uint8Array.from(octets))).toMatchObject({ status: 400 })
})

test.each([
  ['{"__proto__":{"a":1}}', '__proto__'],
  ['{"a":[{"\\u005f_proto__":1}]}', 'a[0].__proto__'],
  ['{"constructor":{"prototype":{}}}', 'constructor'],
  ['{"a":{"b":"\\u0000"}}', 'a.b'],
  ['["\\ud800"]', '[0]'],
  ['{"a":"\\udc00\\ud800"}', 'a'],
  ['{"\\u0000":1}', '\0'],
])('%s is refused, with its path', async (body, path) => {
  expect(await answerTo(body)).toMatchObject({ status: 400, errors: [{ path }] })
})

test('accepts words and escapes that are similar to the refused names and characters', async () => {
  const body = { constructor: 'x', text: '__proto__ \u{1f600}', list: [null, 'prototype'] }
  const escaped = JSON.stringify(body).replace('\u{1f600}', '\\ud83d\\ude00')
  expect(await answerTo(escaped)).toEqual({ status: 200, body })
})

test('a deeply nested body gets one answer', async () => {
  const depth = 60_000
  expect((await answerTo(`${'['.repeat(depth)}"\\u0000"${']'.repeat(depth)}`)).status).toBe(400)
  expect((await answerTo('{"a":'.repeat(depth / 2))).status).toBe(400)
})

test('a body that ends too early causes no server error', async () => {
  const head =
    'POST /echo HTTP/1.1\r\nAuthorization: all:any\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n'
  const { connect } = await import('node:net')
  const socket = connect(server.port, '127.0.0.1')
  await new Promise<void>((resolve) => socket.write(`${head}{`, () => resolve()))
  socket.destroy()
  expect((await answerTo('{}')).status).toBe(200)
  expect(server.logged).toEqual([])
})
