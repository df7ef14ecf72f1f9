import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readCertificate, renewCertificate } from './certificate.ts'

const CERTIFICATES = join(import.meta.dirname, 'testing/certificate')

let folder: string
let server: Server
let endWatch: () => void
let logged: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-certificate-'))
  logged = ''
  put('first')
  server = createServer(readCertificate(files()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const log = openLog('info', { write: (line: string) => (logged += line) })
  endWatch = renewCertificate(server, files(), log, 10)
})

afterEach(() => {
  endWatch()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

test('serves a renewed certificate to new connections without a restart', async () => {
  expect(await servedCertificate()).toBe('smsgw tests, first')
  put('second')
  await vi.waitUntil(async () => (await servedCertificate()) === 'smsgw tests, second', { timeout: 90_000 })
})

test('an unusable certificate is logged, and the previous certificate stays in use', async () => {
  writeFileSync(files().cert, 'half a file')
  await vi.waitUntil(() => logged.includes('new certificate not usable'), { timeout: 90_000 })
  expect(await servedCertificate()).toBe('smsgw tests, first')
})

function files() {
  return { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
}

function put(name: string): void {
  copyFileSync(join(CERTIFICATES, `${name}.key`), files().key)
  copyFileSync(join(CERTIFICATES, `${name}.crt`), files().cert)
}

async function servedCertificate(): Promise<string | string[] | undefined> {
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { subject } = socket.getPeerCertificate()
  socket.destroy()
  return subject.O
}
