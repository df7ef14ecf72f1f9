import { z } from 'zod'

const healthStatus = z.enum(['pass', 'warn', 'fail'])

const checkMembers = {
  status: healthStatus,
  description: z.string(),
  observedValue: z.int32(),
  observedUnit: z.string(),
}
const check = z.strictObject(checkMembers)

const healthMembers = { status: healthStatus, version: z.string(), releaseId: z.int32() }

export const health = z
  .strictObject({
    ...healthMembers,
    checks: z
      .record(z.string(), check)
      .meta({ description: 'Checks by component and name, for example `database:connect`' }),
  })
  .meta({ id: 'Health' })

/** The health that another release reports. Unknown members are dropped. */
export const reportedHealth = z.object({ ...healthMembers, checks: z.record(z.string(), z.object(checkMembers)) })

export type HealthCheck = z.output<typeof check>
export type Health = z.output<typeof health>

/** Returns the health with the status of the worst check. */
export function healthOf(version: string, checks: Readonly<Record<string, HealthCheck>>): Health {
  const statuses = Object.values(checks).map(({ status }) => status)
  return {
    status: statuses.includes('fail') ? 'fail' : statuses.includes('warn') ? 'warn' : 'pass',
    version,
    releaseId: releaseId(version),
    checks: { ...checks },
  }
}

/** Returns an integer that increases with the version: 1.2.3 is 1002003. */
function releaseId(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0)
  return major * 1_000_000 + minor * 1_000 + patch
}
