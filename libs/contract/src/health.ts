import { z } from 'zod'

const healthStatus = z.enum(['pass', 'warn', 'fail'])

const check = z.strictObject({
  status: healthStatus,
  description: z.string(),
  observedValue: z.int32(),
  observedUnit: z.string(),
})

export const health = z
  .strictObject({
    status: healthStatus,
    version: z.string(),
    releaseId: z.int32(),
    checks: z.record(z.string(), check).meta({ description: 'By component and name, as in `database:connect`' }),
  })
  .meta({ id: 'Health' })

export type HealthCheck = z.output<typeof check>
export type Health = z.output<typeof health>
