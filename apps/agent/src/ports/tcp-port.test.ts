import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPort } from './open-port.ts'

let server: Server
let address: string
let accepted: Promise<Socket>

beforeEach(async () => {
  server = createServer()
  accepted = new Promise((resolve) => server.once('connection', resolve))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  address = `tcp://127.0.0.1:${port}`
})

afterEach(() => new Promise((resolve) => server.close(resolve)))

test('transfers bytes unchanged in both directions', async () => {
  const port = await openPort(address)
  const peer = await accepted
  const bytes = Uint8Array.from({ length: 256 }, (_, octet) => octet)
  peer.on('data', (chunk) => peer.write(chunk))
  const received = collect(port, 256)
  port.write(bytes)
  expect(await received).toEqual(bytes)
  await port.close()
})

test('keeps bytes that arrive before a listener is added', async () => {
  const port = await openPort(address)
  ;(await accepted).write('RDY\r\n')
  await new Promise((resolve) => setImmediate(resolve))
  expect(new TextDecoder().decode(await collect(port, 5))).toBe('RDY\r\n')
  await port.close()
})

test('reports a closed connection once, also to a late listener', async () => {
  const port = await openPort(address)
  const reasons: string[] = []
  const lost = new Promise<void>((resolve) => {
    port.onClosed((reason) => {
      reasons.push(reason)
      resolve()
    })
  })
  port.onBytes(() => undefined)
  ;(await accepted).destroy()
  await lost
  port.onClosed((reason) => reasons.push(reason))
  await port.close()
  expect(reasons).toEqual([
    `${address}: the other side closed the connection`,
    `${address}: the other side closed the connection`,
  ])
})

test('ignores a write after the loss', async () => {
  const port = await openPort(address)
  await port.close()
  expect(() => port.write(Uint8Array.of(0x41))).not.toThrow()
  ;(await accepted).destroy()
})

test.each([
  ['tcp://127.0.0.1:1', 'connection refused'],
  ['tcp://127.0.0.1', 'use tcp://host:port'],
  ['tcp://', 'use tcp://host:port'],
  ['COM3', 'not a port: name a device'],
])('the error for %s describes the solution', async (wrong, text) => {
  await expect(Promise.resolve().then(() => openPort(wrong))).rejects.toThrow(text)
})

function collect(port: { onBytes(listener: (bytes: Uint8Array) => void): void }, count: number): Promise<Uint8Array> {
  const received: number[] = []
  return new Promise((resolve) => {
    port.onBytes((bytes) => {
      received.push(...bytes)
      if (received.length >= count) resolve(Uint8Array.from(received))
    })
  })
}
