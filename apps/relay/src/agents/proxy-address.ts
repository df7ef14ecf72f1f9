import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/** Who connects, behind trusted proxies too: the last address of the chain that is none of theirs. */
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

/** Some proxies add it; each connection has another one. */
function withoutPort(address: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address
}

function networkOf(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
