import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endpoint } from '../http/endpoint.ts'
import { route } from '../http/route.ts'
import { type TestServer, testServer } from '../http/testing/test-server.ts'
import { consoleFolder } from './console-folder.ts'
import { serveConsole } from './serve-console.ts'

const INDEX = '<!doctype html><title>console</title>'
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(500))})`
let around: string
let folder: string
let server: TestServer

beforeEach(async () => {
  around = mkdtempSync(join(tmpdir(), 'smsgw-console-'))
  folder = join(around, 'dist')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(around, 'secret.txt'), 'secret')
  writeFileSync(join(folder, 'index.html'), INDEX)
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>')
  writeFileSync(join(folder, 'assets/main-abc.js'), SCRIPT)
  writeFileSync(join(folder, 'assets/main-abc.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(folder, 'assets/main-abc.js.gz'), gzipSync(SCRIPT))
  symlinkSync(join(around, 'secret.txt'), join(folder, 'link.txt'))
  const list = endpoint({ answers: { 200: null }, handle: async () => ({ status: 200 }) })
  const routes = [route('GET', '/messages', 'messages:list', 'Lists', list)]
  server = await testServer({ routes, console: serveConsole(folder) })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(around, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  server.send('GET', path, { headers: { 'accept-encoding': 'identity', ...headers } })
const asPage = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test.each(['/', '/?a=b', '/conversations', '/messages/4711', '/devices/x/y'])(
  '%s serves the first page',
  async (path) => {
    const answer = await get(path, asPage)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(await answer.text()).toBe(INDEX)
  },
)

test('a page loads only from its own origin, runs no inline script, and cannot be framed', async () => {
  const policy = (await get('/', asPage)).headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self'; ")
  expect(policy).toContain("; manifest-src 'self'; worker-src 'self'; ")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
})

test.each(['/3rdparty/v1/unknown', '/api/3rdparty/v1/unknown', '/api', '/3rdparty', '/.well-known/unknown'])(
  '%s answers with an API error, also to a browser',
  async (path) => {
    const answer = await get(path, asPage)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 404 })
  },
)

test('a path that is neither a page nor a file answers with an API error', async () => {
  for (const path of ['/assets/gone.js', '/unknown', '/favicon.ico'])
    expect((await get(path, { accept: '*/*' })).headers.get('content-type')).toContain('application/json')
  expect((await server.send('POST', '/', { headers: asPage })).status).toBe(404)
  expect((await server.send('POST', '/3rdparty/v1/messages', { headers: asPage })).status).toBe(405)
})

test('an asset may be cached without a limit and is sent in the best encoding that the browser accepts', async () => {
  await get('/', asPage)
  const ask = async (encodings: string) => {
    const answer = await get('/assets/main-abc.js', { 'accept-encoding': encodings })
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('vary')).toBe('accept-encoding')
    expect(await answer.text()).toBe(SCRIPT)
    return answer.headers.get('content-encoding')
  }
  expect(await ask('gzip, deflate, br')).toBe('br')
  expect(await ask('gzip')).toBe('gzip')
  expect(await ask('br;q=0, gzip;q=0.5')).toBe('gzip')
  expect(await ask('identity')).toBeNull()
})

test('the manifest and the service worker have their types, and browsers look for new versions each time', async () => {
  writeFileSync(join(folder, 'manifest.webmanifest'), '{}')
  writeFileSync(join(folder, 'service-worker.js'), SCRIPT)
  for (const [path, type] of [
    ['/manifest.webmanifest', 'application/manifest+json'],
    ['/service-worker.js', 'text/javascript; charset=utf-8'],
  ] as const) {
    const { headers } = await get(path, { accept: '*/*' })
    expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([type, 'no-cache'])
  }
})

test('an asset is served to a page that was loaded before a restart', async () => {
  expect((await get('/assets/main-abc.js', { accept: '*/*' })).status).toBe(200)
})

test('an unchanged file is not sent again', async () => {
  const etag = (await get('/', asPage)).headers.get('etag') ?? ''
  const again = await get('/', { ...asPage, 'if-none-match': `"other", W/${etag}` })
  expect([again.status, await again.text()]).toEqual([304, ''])
  expect((await get('/', { ...asPage, 'if-none-match': '"other"' })).status).toBe(200)
})

test.each([
  '/../secret.txt',
  '/assets/../../secret.txt',
  '/..%2fsecret.txt',
  '/%2e%2e/secret.txt',
  '/assets/..%5c..%5csecret.txt',
  '//secret.txt',
  '/link.txt',
  '/assets',
  '/assets/main-abc.js%00.txt',
])('%s shows no file outside the folder', async (path) => {
  const answer = await server.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1.1 404 /)
  expect(answer).not.toContain('secret\r\n')
})

test('HEAD answers like GET, without the body', async () => {
  const answer = await server.send('HEAD', '/', { headers: asPage })
  expect([answer.status, await answer.text()]).toEqual([200, ''])
  expect(answer.headers.get('content-length')).toBe(String(INDEX.length))
})

test('a page explains that the console is not built, and the console is served after its build', async () => {
  rmSync(folder, { recursive: true })
  for (const path of ['/', '/conversations', '/console-missing']) {
    const answer = await get(path, asPage)
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain('The console is not built')
  }
  expect(await (await get('/unknown', { accept: '*/*' })).json()).toMatchObject({ code: 404 })
  mkdirSync(folder)
  writeFileSync(join(folder, 'index.html'), 'built later')
  expect(await (await get('/', asPage)).text()).toBe('built later')
  expect(await server.raw('GET /console-missing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toContain(
    '302 Found',
  )
})

test('the bundle of a clone finds a console that is built after its start', () => {
  const bundle = join(around, 'programs/relay')
  mkdirSync(bundle, { recursive: true })
  symlinkSync(join(around, 'built-later'), join(bundle, 'console'))
  expect(consoleFolder(bundle)).toBe(join(bundle, 'console'))
})

test('the sources find the build folder of the console', () => {
  expect(consoleFolder(join(around, 'apps/relay/src/console'))).toBe(join(around, 'apps/console/dist'))
})

test('a rebuilt console is served', async () => {
  expect(await (await get('/', asPage)).text()).toBe(INDEX)
  writeFileSync(join(folder, 'index.html'), 'another')
  utimesSync(join(folder, 'index.html'), new Date(), new Date(Date.now() + 5_000))
  expect(await (await get('/', asPage)).text()).toBe('another')
})
