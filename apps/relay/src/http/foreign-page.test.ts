import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'

const EVIL = { origin: 'https://evil.example' }

let relay: TestRelay
let operations: readonly [method: string, path: string][]

beforeAll(async () => {
  relay = await testRelay()
  const { paths } = (await relay.request('GET', '/openapi.json')).json
  operations = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method): [string, string] => [method.toUpperCase(), path.replace(/\{\w+\}/g, 'x')]),
  )
})
afterAll(() => relay.close())

test('no operation accepts a stored password from a page on another site', async () => {
  const changing = operations.filter(([method, path]) => method !== 'GET' && !path.endsWith('/auth/token/refresh'))
  expect(changing.length).toBeGreaterThan(15)
  for (const [method, path] of changing) {
    const body = path.endsWith('/session') && method === 'POST' ? { username: 'a', password: 'b' } : undefined
    expect((await relay.request(method, path, { headers: EVIL, body })).status, `${method} ${path}`).toBe(403)
  }
  expect(await relay.database.pairingCode.count()).toBe(0)
})

test('a token works from any page, because browsers do not store it', async () => {
  const { access_token } = (await relay.api('POST', '/auth/token', { body: { scopes: ['devices:write'] } })).json
  const made = await relay.api('POST', '/devices/codes', { auth: `Bearer ${access_token}`, headers: EVIL })
  expect(made.status).toBe(201)
})

test.each([
  ['cross-site', 403],
  ['same-site', 403],
  ['Cross-Site', 403],
  ['cross-site, cross-site', 403],
  ['related-site', 403],
  ['', 403],
  ['same-origin', 201],
  ['none', 201],
])('Sec-Fetch-Site "%s" without an Origin is answered with %i', async (site, status) => {
  const made = await relay.api('POST', '/devices/codes', { headers: { 'sec-fetch-site': site } })
  expect(made.status).toBe(status)
})
