import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Totals {
  passed: number
  failed: number
  skipped: number
}

/** Names the folder where the projects of one `npm test` leave their totals; not set, nobody adds them up. */
export const TOTALS_FOLDER = 'SMSGW_TEST_TOTALS'

/** @param projectRoot the project's folder from the repository's root, `libs/sms` */
export function totalsFile(folder: string, projectRoot: string): string {
  return join(folder, `${projectRoot.replaceAll('/', '-')}.json`)
}

/** What the project left, or undefined when it ended before its tests could say how they went. */
export function readTotals(folder: string, projectRoot: string): Totals | undefined {
  try {
    return JSON.parse(readFileSync(totalsFile(folder, projectRoot), 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
