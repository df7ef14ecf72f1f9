import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { proxyAddress } from '../../link/proxy-address.ts'

export interface ClientFacts {
  /** The address of the client, which is the last address in the proxy chain that is not a trusted proxy. */
  readonly address: string
  readonly isSecure: boolean
}

/**
 * Returns a function that reads the client's address and whether it uses HTTPS. Only trusted proxies may report them.
 */
export function clientFacts(trustedProxies: readonly string[]): (request: IncomingMessage) => ClientFacts {
  const addressOf = proxyAddress(trustedProxies)
  return (request) => {
    const peer = request.socket.remoteAddress ?? ''
    const address = plainAddress(addressOf(request))
    const isProxied = trustedProxies.length > 0 && isTrusted(trustedProxies, peer)
    const reported = isProxied ? lastOf(request.headers['x-forwarded-proto']) : undefined
    const isSecure = reported === undefined ? request.socket instanceof TLSSocket : reported === 'https'
    return { address, isSecure }
  }
}

/**
 * Returns the header lines for the relay: the end-to-end headers of the client, and what the router knows about the
 * client. Drops everything that a client could say about proxies, because the relay trusts these headers of the router.
 */
export function headersForRelay(rawHeaders: readonly string[], { address, isSecure }: ClientFacts): string[] {
  const lines = endToEnd(rawHeaders).filter((_, index, all) => !isProxyHeader(all[index - (index % 2)] ?? ''))
  lines.push('X-Forwarded-For', address, 'X-Forwarded-Proto', isSecure ? 'https' : 'http')
  return lines
}

/** Returns the header lines for the client. */
export function headersForClient(rawHeaders: readonly string[]): string[] {
  return endToEnd(rawHeaders)
}

/** Removes the headers that are for one connection only (RFC 9110 §7.6.1), including those that `Connection` names. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const hop = new Set(HOP_BY_HOP)
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === 'connection')
      for (const name of (rawHeaders[at + 1] ?? '').split(',')) hop.add(name.trim().toLowerCase())
  // A client must not make the router drop the length or the host, because both ends would then disagree about them. It
  // must not make the router drop credentials either, because the relay would then read different credentials than the
  // router.
  for (const name of ['content-length', 'host', ...CREDENTIALS]) hop.delete(name)
  const lines: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]]
    if (!hop.has(name.toLowerCase())) lines.push(name, value)
  }
  return lines
}

const CREDENTIALS = ['authorization', 'x-api-key', 'access-token', 'cookie']
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

function isProxyHeader(name: string): boolean {
  return /^(?:x-forwarded-.*|x-real-ip|forwarded|x-smsgw-.*)$/i.test(name)
}

function isTrusted(networks: readonly string[], address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return networks.some((text) => {
    const [network, bits] = text.includes('/')
      ? ipaddr.parseCIDR(text)
      : ([ipaddr.process(text), ipaddr.process(text).kind() === 'ipv4' ? 32 : 128] as const)
    return parsed.kind() === network.kind() && parsed.match(network as never, bits)
  })
}

/** An IPv4 address without the prefix that a dual-stack socket adds. */
function plainAddress(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address
}

function lastOf(header: string | readonly string[] | undefined): string | undefined {
  const values = [header ?? []].flat().join(',').split(',')
  return values.at(-1)?.trim().toLowerCase() || undefined
}
