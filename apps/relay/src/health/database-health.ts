import type { Database } from '../store/database.ts'
import { readDatabaseMs } from '../store/read-clock-statement.ts'
import type { HealthSource } from './health-check.ts'

/** Checks whether the database answers, and how fast. */
export function databaseHealth(database: Database): HealthSource {
  return {
    name: 'database:ping',
    probes: ['ready', 'startup'],
    async check() {
      const started = performance.now()
      try {
        await readDatabaseMs(database)
      } catch {
        return { status: 'fail', description: 'database unavailable', observedValue: 0, observedUnit: 'ms' }
      }
      const observedValue = Math.round(performance.now() - started)
      return { status: 'pass', description: 'response time of a query', observedValue, observedUnit: 'ms' }
    },
  }
}
