import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { testRouter, testUpstream } from '../testing/test-router.ts'
import { proxyRequest } from './proxy-request.ts'

test('a client that disconnected during the look-up of its cell takes no connection to a relay', async () => {
  let count = 0
  const relay = await testUpstream(() => {
    count += 1
  })
  const router = await testRouter({ one: [relay.url] })
  let onResult: ((result: unknown) => void) | undefined
  const result = new Promise((resolve) => {
    onResult = resolve
  })
  const server = createServer((request, response) => {
    const client = { address: '127.0.0.1', isSecure: false }
    const work = { enter: () => () => undefined, onAbortable: () => undefined }
    const proxy = () => onResult?.(proxyRequest(router.pool, 'one', { request, response, client, ...work }))
    // All events of the client have passed when the look-up ends.
    response.once('close', () => setImmediate(proxy))
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf')
  try {
    expect(await result).toBe('answered')
    expect(count).toBe(0)
  } finally {
    await router.close()
    await relay.close()
    await new Promise((resolve) => server.close(resolve))
  }
})
