import type { Database } from '../store/database.ts'
import type { HealthSource } from './health-check.ts'

/** Whether the database answers, and in what time. */
export function databaseHealth(database: Database): HealthSource {
  return {
    name: 'database:ping',
    probes: ['ready', 'startup'],
    async check() {
      const started = performance.now()
      try {
        await database.$queryRaw`SELECT 1`
      } catch {
        return { status: 'fail', description: 'the database cannot be reached', observedValue: 0, observedUnit: 'ms' }
      }
      const observedValue = Math.round(performance.now() - started)
      return { status: 'pass', description: 'answer to a ping', observedValue, observedUnit: 'ms' }
    },
  }
}
