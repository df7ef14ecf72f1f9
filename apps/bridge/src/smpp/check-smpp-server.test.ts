import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { withSmppBridge } from '../testing/smpp-bridge.ts'
import { checkSmppServer } from './check-smpp-server.ts'

const current = withSmppBridge()

test('finds a running server, a free port, and another program on the port', async () => {
  const { bridge } = current
  await bridge.start()
  const check = (port: number) => checkSmppServer({ host: '127.0.0.1', port, isTls: false })
  expect(await check(bridge.port)).toBe(`answers at 127.0.0.1:${bridge.port}`)
  await bridge.stop()
  expect(await check(bridge.port)).toBe(`not running, 127.0.0.1:${bridge.port} is free`)
  const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  await expect(check((other.address() as AddressInfo).port)).rejects.toThrow()
  other.close()
})
