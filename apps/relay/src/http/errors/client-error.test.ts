import { problem } from '@smsgw/contract/fields/problem'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { rootRoute } from '../route.ts'
import { testServer } from '../testing/test-server.ts'

const take = endpoint({ body: z.unknown(), answers: { 204: null }, handle: async () => ({ status: 204 }) })
const routes = [rootRoute('POST', '/take', 'public', 'Takes', take)]
const quick = { headersTimeoutMs: 60, requestTimeoutMs: 60, checkingIntervalMs: 20 }

function expectProblem(answer: string, status: number): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(head.toLowerCase()).toContain('connection: close')
  expect(problem.parse(JSON.parse(body)).code).toBe(status)
}

test.each([
  ['text that is not HTTP', 'GARBAGE\r\n\r\n', 400],
  ['TLS on a plain port', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), 400],
  ['two lengths', 'POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
  [
    'a length and chunks, as in request smuggling',
    'POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['a space before a colon', 'GET /take HTTP/1.1\r\nHost : x\r\n\r\n', 400],
  ['an endless header', `GET /take HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['a thousand headers', `GET /take HTTP/1.1\r\n${'X-Some-Header: x\r\n'.repeat(1200)}\r\n`, 431],
])('%s results in one clear error', async (_, sent, status) => {
  await using server = await testServer({ routes })
  expectProblem(await server.raw(sent), status)
})

test('endless headers are cut off', async () => {
  await using server = await testServer({ routes, limits: quick })
  expectProblem(await server.raw('POST /take HTTP/1.1\r\nHost: x\r\n'), 408)
})

test('an endless body is cut off and not logged as a server error', async () => {
  await using server = await testServer({ routes, limits: quick })
  const head = 'POST /take HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n'
  expectProblem(await server.raw(`${head}{`), 408)
  expect(server.logged).toEqual([])
})

test.each([
  ['that names no host', '', 400],
  ['that names two hosts', 'Host: x\r\nHost: y\r\n', 400],
  ['that names one host', 'Host: x\r\n', 204],
  ['with an unsupported expectation', 'Host: x\r\nExpect: miracles\r\n', 417],
  ['with the supported expectation', 'Host: x\r\nExpect: 100-continue\r\n', 100],
])('a request %s is answered once', async (_, headers, status) => {
  await using server = await testServer({ routes })
  const answer = await server.raw(`POST /take HTTP/1.1\r\nConnection: close\r\n${headers}\r\n`)
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  if (status >= 400) expectProblem(answer, status)
})

test('HTTP/1.0 needs no Host header, and a proxy may send the host in the request line', async () => {
  await using server = await testServer({ routes })
  expect(await server.raw('POST /take HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 204 /)
  const whole = 'POST http://sms.example/take HTTP/1.1\r\nHost: sms.example\r\nConnection: close\r\n\r\n'
  expect(await server.raw(whole)).toMatch(/^HTTP\/1\.1 204 /)
})

test.each([
  ['sms.example:443', 404, undefined],
  ['/take', 405, 'POST, OPTIONS'],
])('a tunnel to %s is refused with an explanation', async (target, status, allow) => {
  await using server = await testServer({ routes })
  const answer = await server.raw(`CONNECT ${target} HTTP/1.1\r\nHost: sms.example\r\n\r\n`)
  expectProblem(answer, status)
  expect(/^allow: (.*)$/im.exec(answer)?.[1]).toBe(allow)
})
