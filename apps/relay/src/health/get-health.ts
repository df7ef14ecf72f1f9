import { type Health, type HealthCheck, health, healthOf } from '@smsgw/contract/relay/health'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { HealthSource, Probe } from './health-sources.ts'

interface GetHealthDeps {
  readonly health: readonly HealthSource[]
  /** `major.minor.patch` */
  readonly version: string
}

/** The endpoint is public. Each answer is cached for a second, to limit the number of checks. */
const CACHED_MS = 1_000
/** A check fails if it takes longer. */
const TIMEOUT_MS = 2_000

/** Answers with the checks of one probe, or with all checks. The status is 503 when a check fails, otherwise 200. */
export function getHealth(deps: GetHealthDeps, probe?: Probe): Endpoint {
  const sources = deps.health.filter(({ probes }) => probe === undefined || probes.includes(probe))
  let latest: { readonly answer: Promise<Health>; readonly at: number } | undefined
  return endpoint({
    answers: { 200: health, 503: health },
    async handle() {
      const now = performance.now()
      if (latest === undefined || now - latest.at > CACHED_MS)
        latest = { answer: examine(sources, deps.version), at: now }
      const body = await latest.answer
      return { status: body.status === 'fail' ? 503 : 200, body }
    },
  })
}

async function examine(sources: readonly HealthSource[], version: string): Promise<Health> {
  const checks = await Promise.all(sources.map(async (source) => [source.name, await result(source)] as const))
  return healthOf(version, Object.fromEntries(checks))
}

async function result(source: HealthSource): Promise<HealthCheck> {
  const { promise: late, resolve } = Promise.withResolvers<HealthCheck>()
  const failed = (description: string) => ({ status: 'fail' as const, description, observedValue: 0, observedUnit: '' })
  const timer = setTimeout(() => resolve(failed(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS)
  try {
    return await Promise.race([source.check(), late])
  } catch {
    // The endpoint is public, so the reason is not shown.
    return failed('the check itself failed')
  } finally {
    clearTimeout(timer)
  }
}
