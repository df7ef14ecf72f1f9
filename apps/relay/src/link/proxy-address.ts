import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/**
 * Returns the client address of a request, which is the last address in the proxy chain that is not a trusted proxy.
 */
export function proxyAddress(trusted: readonly string[]): (request: IncomingMessage) => string {
  const networks = trusted.map(networkOf)
  const isTrusted = (address: string) => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return networks.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
  }
  return ({ socket, headers }) => {
    const forwarded = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((part) => withoutPort(part.trim()))
      .filter((part) => ipaddr.isValid(part))
    let address = socket.remoteAddress ?? ''
    while (isTrusted(address) && forwarded.length > 0) address = forwarded.pop() ?? ''
    return address
  }
}

/** Some proxies add a port, which differs for each connection. */
function withoutPort(address: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address
}

function networkOf(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
