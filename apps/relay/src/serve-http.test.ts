import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { callUrl } from './testing/call-url.ts'
import { type TestRelay, type TestRelayOptions, testRelay } from './testing/test-relay.ts'

const CERTIFICATES = join(import.meta.dirname, 'testing/certificate')
const folder = mkdtempSync(join(tmpdir(), 'smsgw-tls-'))
const files = { TLS_CERT: join(folder, 'tls.crt'), TLS_KEY: join(folder, 'tls.key') }

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('serves HTTPS with the certificate of the configuration', async () => {
  putCertificate('first')
  const relay = await start({ settings: files })
  expect(relay.url).toMatch(/^https:/)
  expect(await callHttps(`${relay.url}/health/live`)).toEqual({ status: 200, certificate: 'smsgw tests, first' })
})

test('HTTPS has the same limits as HTTP, and answers a request that offers another protocol', async () => {
  putCertificate('first')
  const relay = await start({ settings: files })
  const ask = async (sent: string) => {
    const socket = connectTls({ port: Number(new URL(relay.url).port), host: '127.0.0.1', rejectUnauthorized: false })
    socket.write(sent)
    return await text(socket)
  }
  expect(await ask('GET /health HTTP/1.1\r\nConnection: close\r\n\r\n')).toContain('0 Host headers')
  const offer = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'
  const answers = await ask(`${offer}${offer}GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 200'])
})

test('refuses a request with several idempotency keys, after its credentials are checked', async () => {
  const relay = await start({})
  const body = JSON.stringify({ phoneNumbers: ['+447400123456'], textMessage: { text: 'Hello' } })
  const ask = async (path: string, authorization: string) => {
    const socket = connect(Number(new URL(relay.url).port), '127.0.0.1')
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}Content-Type: application/json\r\n` +
        `Idempotency-Key: one\r\nidempotency-key: two\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    return await text(socket)
  }
  for (const path of ['/3rdparty/v1/messages', '/api/v2/messages/sms']) {
    expect(await ask(path, '')).toMatch(/^HTTP\/1.1 401/)
    expect(await ask(path, `Authorization: ${relay.account.basic}\r\n`)).toMatch(
      /^HTTP\/1.1 400[\s\S]*The request has 2 Idempotency-Key headers: send only one/,
    )
  }
})

test('an unusable certificate stops the start', async () => {
  putCertificate('first')
  writeFileSync(files.TLS_KEY, 'garbage')
  await expect(testRelay({ settings: files })).rejects.toThrow(/TLS_CERT \(.*\) and TLS_KEY \(.*\) are not usable: /)
})

test('serves metrics only on a separate port, which serves nothing else', async () => {
  const relay = await start({ settings: { METRICS_PORT: '0' } })
  const { url } = relay.logged.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'metrics server listening')
  expect((await callUrl('GET', `${url}/metrics`, {})).text).toContain('smsgw_')
  expect((await callUrl('GET', `${url}/3rdparty/v1/messages`, {})).status).toBe(404)
  expect((await relay.request('GET', '/metrics')).status).toBe(404)
})

// Node.js itself would wait for such a connection longer than this test may take.
test.each([{}, files])('a connection without a request does not delay the shutdown: %o', async (settings) => {
  putCertificate('first')
  const relay = await testRelay({ settings })
  const port = Number(new URL(relay.url).port)
  const socket = relay.url.startsWith('https')
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, relay.url.startsWith('https') ? 'secureConnect' : 'connect')
  const closed = once(socket, 'close')
  await relay.close()
  await closed
})

function putCertificate(name: string): void {
  copyFileSync(join(CERTIFICATES, `${name}.crt`), files.TLS_CERT)
  copyFileSync(join(CERTIFICATES, `${name}.key`), files.TLS_KEY)
}

async function start(options: TestRelayOptions): Promise<TestRelay> {
  const relay = await testRelay(options)
  onTestFinished(() => relay.close())
  return relay
}

function callHttps(url: string): Promise<{ status: number | undefined; certificate: unknown }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      const certificate = (response.socket as TLSSocket).getPeerCertificate().subject.O
      response.resume().on('end', () => resolve({ status: response.statusCode, certificate }))
    })
    request.on('error', reject)
  })
}
