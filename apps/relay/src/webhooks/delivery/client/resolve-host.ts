import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Returns all addresses of a name; rejects when it has none. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>

/**
 * Returns a resolver that queries the name servers directly. It uses the operating system only for names that the name
 * servers do not have, such as names on the local network or in the hosts file. The system's look-up blocks one of the
 * four threads of this process until it times out, so a name server that does not answer would delay everything else.
 *
 * @param servers the name servers; by default the name servers of the system at the time of the look-up
 */
export function hostResolver(servers?: readonly string[]): ResolveHost {
  let places = SYSTEM_LOOKUPS
  const waiting: (() => void)[] = []
  const requested = new Map<string, Promise<LookupAddress[]>>()

  /** Concurrent look-ups of the same name share one query. */
  function querySystem(host: string): Promise<LookupAddress[]> {
    const result = requested.get(host) ?? lookUp(host).finally(() => requested.delete(host))
    requested.set(host, result)
    return result
  }

  async function lookUp(host: string): Promise<LookupAddress[]> {
    if (places === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    else places -= 1
    try {
      return await lookup(host, { all: true })
    } finally {
      const next = waiting.shift()
      if (next === undefined) places += 1
      else next()
    }
  }

  return async (host) => {
    if (LOCAL_NAME.test(host)) return querySystem(host)
    const found = await queryNameServers(host, servers)
    return found.length > 0 ? found : querySystem(host)
  }
}

/** The largest number of concurrent look-ups by the system, so that other threads stay free. */
const SYSTEM_LOOKUPS = 2
/**
 * How long to wait for the addresses of the other family (IPv4 or IPv6) when the addresses of one family have arrived
 * (RFC 8305 §3).
 */
const RESOLUTION_DELAY_MS = 50
/** Returns true for names without a dot, and for names under a domain for private use. */
const LOCAL_NAME = /^[^.]+\.?$|\.(?:local|localhost|lan|internal|home\.arpa)\.?$/

/**
 * Returns an empty list if the name has no address or no server answers. Uses a new resolver each time, because the
 * name servers of the system may change.
 */
async function queryNameServers(host: string, servers: readonly string[] | undefined): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  const four = addressesOf(resolver.resolve4(host), 4)
  const six = addressesOf(resolver.resolve6(host), 6)
  const first = await four
  const second = first.length > 0 ? await Promise.race([six, sleep(RESOLUTION_DELAY_MS, [])]) : await six
  resolver.cancel()
  return [...first, ...second]
}

async function addressesOf(answer: Promise<string[]>, family: 4 | 6): Promise<LookupAddress[]> {
  const [settled] = await Promise.allSettled([answer])
  return settled.status === 'fulfilled' ? settled.value.map((address) => ({ address, family })) : []
}
