import { type Health, type HealthCheck, health } from '@smsgw/contract/health'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { HealthSource, Probe } from './health-check.ts'

interface GetHealthNeeds {
  readonly health: readonly HealthSource[]
  /** `major.minor.patch` */
  readonly version: string
}

/** Anybody may ask, as often as they like: an answer stands for a second, so nobody loads what is checked. */
const STANDS_MS = 1_000
/** A check that takes longer has failed. */
const PATIENCE_MS = 2_000

/** One probe, or everything. 503 when a check fails; `warn` is still well. */
export function getHealth(needs: GetHealthNeeds, probe?: Probe): Endpoint {
  const sources = needs.health.filter(({ probes }) => probe === undefined || probes.includes(probe))
  let latest: { readonly answer: Promise<Health>; readonly at: number } | undefined
  return endpoint({
    answers: { 200: health, 503: health },
    async handle() {
      const now = performance.now()
      if (latest === undefined || now - latest.at > STANDS_MS)
        latest = { answer: examine(sources, needs.version), at: now }
      const body = await latest.answer
      return { status: body.status === 'fail' ? 503 : 200, body }
    },
  })
}

async function examine(sources: readonly HealthSource[], version: string): Promise<Health> {
  const checks = await Promise.all(sources.map(async (source) => [source.name, await result(source)] as const))
  const statuses = checks.map(([, { status }]) => status)
  return {
    status: statuses.includes('fail') ? 'fail' : statuses.includes('warn') ? 'warn' : 'pass',
    version,
    releaseId: releaseId(version),
    checks: Object.fromEntries(checks),
  }
}

async function result(source: HealthSource): Promise<HealthCheck> {
  const { promise: late, resolve } = Promise.withResolvers<HealthCheck>()
  const failed = (description: string) => ({ status: 'fail' as const, description, observedValue: 0, observedUnit: '' })
  const timer = setTimeout(() => resolve(failed(`no answer within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
  try {
    return await Promise.race([source.check(), late])
  } catch {
    // Why is for the log of who owns it: the world is told only that it failed.
    return failed('the check itself failed')
  } finally {
    clearTimeout(timer)
  }
}

/** One integer that grows with the version: 1.2.3 is 1002003. */
function releaseId(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0)
  return major * 1_000_000 + minor * 1_000 + patch
}
