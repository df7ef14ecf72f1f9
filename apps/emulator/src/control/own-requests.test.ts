import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningEmulator, startEmulator } from '../emulator.ts'
import { type Options, readEmulatorOptions } from '../options/config.ts'

const emulators: RunningEmulator[] = []
let here: RunningEmulator
let everywhere: RunningEmulator

beforeAll(async () => {
  here = await start('127.0.0.1:0')
  everywhere = await start('0.0.0.0:0')
})
afterAll(async () => {
  for (const emulator of emulators) await emulator.close()
})

async function start(control: string): Promise<RunningEmulator> {
  const argv = ['--tcp', '127.0.0.1:0', '--control', control, '--ledger', 'none', '--boot-time', '0']
  const emulator = await startEmulator(readEmulatorOptions(argv, {}) as Options, 1, (error) => {
    throw error
  })
  emulators.push(emulator)
  return emulator
}

interface Asked {
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Returns status and code of the answer. Does not use `fetch`, which does not allow these headers. */
function ask(emulator: RunningEmulator, { path = '/modems', headers = {}, body }: Asked): Promise<[number, string?]> {
  const { port } = new URL(emulator.control?.address ?? '')
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      const { error } = JSON.parse(text) as { error?: { code: string } }
      resolve(error === undefined ? [response.statusCode ?? 0] : [response.statusCode ?? 0, error.code])
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

test.each([
  { origin: 'https://example.com' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'same-origin' },
])('refuses a web page: %j', async (headers) => {
  expect(await ask(here, { headers })).toEqual([403, 'web_page'])
})

test('answers a request whose address was typed into a browser', async () => {
  expect(await ask(here, { headers: { 'sec-fetch-site': 'none', 'accept-language': 'en' } })).toEqual([200])
})

test.each(['localhost', 'LOCALHOST:7080', '127.0.0.1:1', '[::1]:7080', '[::1]'])(
  'accepts the host %s',
  async (host) => {
    expect(await ask(here, { headers: { host } })).toEqual([200])
  },
)

test.each(['evil.example', 'evil.example:7080', '127.0.0.1.evil.example', 'localhost.evil.example', '192.0.2.7'])(
  'refuses any other host, as in DNS rebinding: %s',
  async (host) => {
    expect(await ask(here, { headers: { host } })).toEqual([403, 'wrong_host'])
  },
)

test('accepts each address, but no other host name, when bound to all addresses', async () => {
  expect(await ask(everywhere, { headers: { host: '192.0.2.7:7080' } })).toEqual([200])
  expect(await ask(everywhere, { headers: { host: 'evil.example:7080' } })).toEqual([403, 'wrong_host'])
})

const act = (headers: Record<string, string>) => ask(here, { path: '/do/clear-rule', headers, body: '{}' })
const form = 'application/x-www-form-urlencoded'

test.each([
  { 'content-type': 'application/json' },
  { 'content-type': 'Application/JSON; charset=utf-8', 'sec-fetch-mode': 'cors', 'accept-language': '*' },
  { 'content-type': form },
  {},
])('accepts requests of programs and curl: %j', async (headers: Record<string, string>) => {
  expect(await act(headers)).toEqual([200])
})

test.each([
  { 'content-type': 'text/plain' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': form, referer: 'https://example.com/' },
  { 'content-type': form, 'sec-fetch-mode': 'no-cors' },
  { 'accept-language': 'en' },
])('refuses a body that a web page may send without a preflight: %j', async (headers: Record<string, string>) => {
  expect(await act(headers)).toEqual([415, 'invalid_content_type'])
})

test.each(['//', '//modems', 'http://'])('refuses the path %s', async (path) => {
  expect(await ask(here, { path })).toEqual([400, 'invalid_path'])
})
