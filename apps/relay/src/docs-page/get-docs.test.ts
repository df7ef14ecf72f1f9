import { afterAll, beforeAll, expect, test } from 'vitest'
import { rootRoute } from '../http/route.ts'
import { type TestServer, testServer } from '../http/testing/test-server.ts'
import { getDocs, getDocsFile } from './get-docs.ts'

let server: TestServer

beforeAll(async () => {
  const routes = [
    rootRoute('GET', '/docs', 'public', 'Get the page', getDocs()),
    rootRoute('GET', '/docs/{file}', 'public', 'Get a file', getDocsFile()),
  ]
  server = await testServer({ routes })
})
afterAll(() => server[Symbol.asyncDispose]())

async function page() {
  const response = await server.send('GET', '/docs')
  return { headers: response.headers, text: await response.text() }
}

test('serves every file that the page loads, from the same origin', async () => {
  const { headers, text } = await page()
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)]
    .map(([, url = '']) => url)
    .filter((url) => url !== 'data:,')
  expect(files).toHaveLength(4)
  for (const file of files) {
    expect(file).toMatch(/^\/docs\/[\w.-]+$/)
    const response = await server.send('GET', file)
    expect([file, response.status]).toEqual([file, 200])
    expect(response.headers.get('content-type')).toMatch(file.endsWith('.js') ? /^text\/javascript/ : /^text\/css/)
  }
})

test('allows no inline script, no inline style and no other origin', async () => {
  const { headers, text } = await page()
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; ")
  expect(policy).toContain("connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(text).not.toMatch(/<script>|<style|\son\w+=|https?:/)
})

test('loads the OpenAPI document of this relay and no online validator', async () => {
  const script = await (await server.send('GET', '/docs/docs.js')).text()
  expect(script).toContain("url: '/openapi.json'")
  expect(script).toContain('validatorUrl: null')
})

test('compresses files, and does not send files that the browser already has', async () => {
  const headers = { 'accept-encoding': 'identity' }
  const plain = await server.send('GET', '/docs/swagger-ui.css', { headers })
  const compressed = await server.send('GET', '/docs/swagger-ui.css', { headers: { 'accept-encoding': 'gzip' } })
  expect(compressed.headers.get('content-encoding')).toBe('gzip')
  expect(await compressed.text()).toBe(await plain.text())
  const etag = plain.headers.get('etag') ?? ''
  const again = await server.send('GET', '/docs/swagger-ui.css', { headers: { ...headers, 'if-none-match': etag } })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test.each(['package.json', 'swagger-ui-bundle.js.map', '..%2Fpackage.json', 'index.html'])(
  'does not serve %s',
  async (file) => {
    expect((await server.send('GET', `/docs/${file}`)).status).toBe(404)
  },
)
