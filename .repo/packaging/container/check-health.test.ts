import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'

let server: Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

test.each([
  [200, 0],
  [503, 1],
  [302, 1],
])('an answer of %i ends it with %i', async (status, code) => {
  const port = await serve(status)
  expect(await check({ PORT: String(port) })).toBe(code)
  expect(await check({}, `http://127.0.0.1:${port}/elsewhere`)).toBe(code)
})

test('nobody there is not well', async () => {
  const port = await serve(200)
  server?.close()
  expect(await check({ PORT: String(port) })).toBe(1)
})

test('with a certificate it is asked by TLS', async () => {
  const port = await serve(200)
  expect(await check({ PORT: String(port), TLS_CERT: '/somewhere' })).toBe(1)
})

async function serve(status: number): Promise<number> {
  server = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function check(env: Record<string, string>, ...args: string[]): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'check-health.ts'), ...args], {
    env,
    stdio: 'ignore',
  })
  const [code] = await once(child, 'exit')
  return code
}
