import { challengeOf } from './challenge-of.ts'
import { checkSkew } from './check-clock.ts'
import { type Finding, fail, ok } from './finding.ts'

/** Whether it can be reached and spoken with, without being somebody there: that would cut off the agent that runs. */
export async function checkRelay(url: string, nowMs: () => number = Date.now): Promise<readonly Finding[]> {
  const greeting = await challengeOf(url)
  if (greeting.kind === 'failed') {
    return [fail('relay', `${url}: ${greeting.words}`, 'check RELAY_URL, the network, and whether the relay runs')]
  }
  if (!greeting.isVersionShared) {
    return [fail('relay', 'speaks another version of the link than this agent', 'update whichever is older')]
  }
  const health = await askHealth(url, nowMs)
  const words = `${url} answers${health?.version === undefined ? '' : `, version ${health.version}`}`
  return [ok('relay', words), ...(health?.aheadMs === undefined ? [] : [checkSkew(health.aheadMs)])]
}

/** Undefined when there is something in between that does not let it through. */
async function askHealth(url: string, nowMs: () => number) {
  const address = new URL(url.replace(/^ws/, 'http'))
  address.pathname = '/health'
  try {
    const before = nowMs()
    const response = await fetch(address, { signal: AbortSignal.timeout(healthLimitMs), redirect: 'error' })
    const middle = (before + nowMs()) / 2
    const said = Date.parse(response.headers.get('date') ?? '')
    const { version } = (await response.json()) as { version?: unknown }
    return {
      version: typeof version === 'string' ? version.slice(0, 40) : undefined,
      // Whole seconds are told: the middle of one is the best guess.
      aheadMs: Number.isNaN(said) ? undefined : middle - said - 500,
    }
  } catch {
    return undefined
  }
}

const healthLimitMs = 5_000
