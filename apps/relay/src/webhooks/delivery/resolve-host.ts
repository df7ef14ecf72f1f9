import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** All addresses of a name; rejects when it has none. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>

/**
 * Asks the name servers ourselves, and the operating system only for what they do not know, such as names of this network
 * or of the hosts file. The system's own way holds one of the four threads of this process for as long as a name server
 * says nothing: somebody's dead name servers would keep everybody else waiting.
 *
 * @param servers left out: those that the system is configured with at the moment
 */
export function hostResolver(servers?: readonly string[]): ResolveHost {
  let places = SYSTEM_LOOKUPS
  const waiting: (() => void)[] = []
  const asked = new Map<string, Promise<LookupAddress[]>>()

  /** Whoever asks for the same name meanwhile is told the same. */
  function askSystem(host: string): Promise<LookupAddress[]> {
    const asking = asked.get(host) ?? lookUp(host).finally(() => asked.delete(host))
    asked.set(host, asking)
    return asking
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
    if (LOCAL_NAME.test(host)) return askSystem(host)
    const found = await askNameServers(host, servers)
    return found.length > 0 ? found : askSystem(host)
  }
}

/** At once; the rest of the threads are for everything else. */
const SYSTEM_LOOKUPS = 2
/** RFC 8305 §3: how long the one family is waited for when the other has answered. */
const RESOLUTION_DELAY_MS = 50
/** Without a dot, or under a name that is for private use. */
const LOCAL_NAME = /^[^.]+\.?$|\.(?:local|localhost|lan|internal|home\.arpa)\.?$/

/** Empty: there are none, or nobody answers. A resolver of its own: which servers there are may change at any time. */
async function askNameServers(host: string, servers: readonly string[] | undefined): Promise<LookupAddress[]> {
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
