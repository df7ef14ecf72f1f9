import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface Totals {
  passed: number
  failed: number
  skipped: number
}

export const totalsFolder = resolve(import.meta.dirname, '../.cache/test-totals')

export function totalsFile(project: string): string {
  return join(totalsFolder, `${project}.json`)
}

export function readTotals(): Totals {
  const sum: Totals = { passed: 0, failed: 0, skipped: 0 }
  for (const name of readdirSync(totalsFolder)) {
    const totals: Totals = JSON.parse(readFileSync(join(totalsFolder, name), 'utf8'))
    sum.passed += totals.passed
    sum.failed += totals.failed
    sum.skipped += totals.skipped
  }
  return sum
}
