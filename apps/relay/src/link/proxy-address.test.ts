import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { proxyAddress } from './proxy-address.ts'

function addressOf(remoteAddress: string | undefined, forwarded: string | undefined, trusted: readonly string[]) {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return proxyAddress(trusted)({ socket: { remoteAddress }, headers } as unknown as IncomingMessage)
}

test.each([
  ['without proxies', '203.0.113.9', '198.51.100.1', [], '203.0.113.9'],
  ['that is not behind our proxies', '203.0.113.9', '198.51.100.1', ['10.0.0.0/8'], '203.0.113.9'],
  ['behind one', '10.0.0.1', '198.51.100.1', ['10.0.0.0/8'], '198.51.100.1'],
  ['behind two', '10.0.0.1', '198.51.100.1, 10.0.0.2', ['10.0.0.0/8'], '198.51.100.1'],
  ['with a forged first address', '10.0.0.1', '1.2.3.4, 198.51.100.1', ['10.0.0.0/8'], '198.51.100.1'],
  ['behind a proxy that sends no header', '10.0.0.1', undefined, ['10.0.0.0/8'], '10.0.0.1'],
  ['as IPv4 in IPv6', '::ffff:10.0.0.1', '198.51.100.1', ['10.0.0.1'], '198.51.100.1'],
  ['by IPv6', 'fd00::1', '2001:db8::7', ['fd00::/8'], '2001:db8::7'],
  ['with a proxy that adds the port', '10.0.0.1', '198.51.100.1:40312', ['10.0.0.0/8'], '198.51.100.1'],
  ['with a proxy that adds the port, by IPv6', '10.0.0.1', '[2001:db8::7]:40312', ['10.0.0.0/8'], '2001:db8::7'],
  ['with nonsense', '10.0.0.1', 'unknown', ['10.0.0.0/8'], '10.0.0.1'],
  ['whose socket is closed', undefined, '198.51.100.1', ['10.0.0.0/8'], ''],
])('a client %s', (_, remoteAddress, forwarded, trusted, address) => {
  expect(addressOf(remoteAddress, forwarded, trusted)).toBe(address)
})
