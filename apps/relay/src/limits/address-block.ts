import ipaddr from 'ipaddr.js'

/** Returns the block of addresses that one subscriber has: a single IPv4 address, or an IPv6 /64 network. */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
