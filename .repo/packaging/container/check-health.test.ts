import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string
let server: Server | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-health-'))
})

afterEach(() => {
  server?.close()
  rmSync(folder, { recursive: true, force: true })
})

test.each([
  [200, 0],
  [204, 0],
  [503, 1],
  [302, 1],
])('an answer with status %i ends the check with exit code %i', async (status, code) => {
  const port = await listen(createServer(answering(status)))
  expect(await check({ PORT: String(port) })).toBe(code)
  expect(await check({}, `http://127.0.0.1:${port}/elsewhere`)).toBe(code)
})

test('asks for /health/ready, or for the path of the given address', async () => {
  const paths: string[] = []
  const port = await listen(
    createServer((request, response) => {
      paths.push(request.url ?? '')
      response.end()
    }),
  )
  await check({ PORT: String(port) })
  await check({}, `http://127.0.0.1:${port}/`)
  expect(paths).toEqual(['/health/ready', '/'])
})

test('fails when nothing listens, and when there is no answer in time', async () => {
  const port = await listen(createSocketServer(() => undefined))
  expect(await check({ PORT: String(port) })).toBe(1)
  server?.close()
  expect(await check({ PORT: String(port) })).toBe(1)
})

test('starts no Node, except for an API with a certificate', async () => {
  writeFileSync(join(folder, 'node'), `#!/bin/bash\ntouch ${folder}/started\nexec ${process.execPath} "$@"\n`)
  chmodSync(join(folder, 'node'), 0o755)
  const hasStarted = () => {
    try {
      readFileSync(join(folder, 'started'))
      return true
    } catch {
      return false
    }
  }
  const PATH = `${folder}:${process.env['PATH']}`
  expect(await check({ PATH, PORT: String(await listen(createServer(answering(200)))) })).toBe(0)
  server?.close()
  expect(hasStarted()).toBe(false)
  const certificates = resolve(import.meta.dirname, '../../../apps/agent/src/testing/certificate')
  const [cert, key] = ['crt', 'key'].map((ending) => readFileSync(join(certificates, `untrusted.${ending}`)))
  const port = await listen(createTlsServer({ cert, key }, answering(200)))
  expect(await check({ PATH, PORT: String(port), TLS_CERT: '/certificate' })).toBe(0)
  expect(hasStarted()).toBe(true)
})

test('asks the agent on its socket', async () => {
  expect(await check({ DATA_DIR: folder }, 'agent')).toBe(1)
  const questions: string[] = []
  server = createSocketServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (question) => {
      questions.push(String(question))
      socket.end(`${JSON.stringify(questions.length === 1 ? { ok: {} } : { problem: 'restart it' })}\n`)
    })
  }).listen(join(folder, 'agent.sock'))
  await once(server, 'listening')
  expect(await check({ DATA_DIR: folder }, 'agent')).toBe(0)
  expect(questions.map((question) => JSON.parse(question))).toEqual([{ ask: 'status' }])
  expect(await check({ DATA_DIR: folder }, 'agent')).toBe(1)
})

function answering(status: number): RequestListener {
  return (_, response) => response.writeHead(status).end()
}

async function listen(listener: Server): Promise<number> {
  server = listener.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function check(env: Record<string, string>, ...args: string[]): Promise<number> {
  const child = spawn('bash', [join(import.meta.dirname, 'check-health.sh'), ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'ignore',
  })
  const [code] = await once(child, 'exit')
  return code
}
