import ipaddr from 'ipaddr.js'

/**
 * The block of addresses that one caller can be taken to hold: a single IPv4 address, but 64 bits of IPv6, which every
 * subscriber gets whole.
 */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
