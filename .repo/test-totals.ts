import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface TestTotals {
  passed: number
  failed: number
  skipped: number
}

export interface ProjectTotals extends TestTotals {
  /** The exit code of Vitest. */
  exitCode: number
  /**
   * The totals of each test file with a failure. Empty if an error cannot be assigned to a file, or if a test failed
   * with random values.
   */
  failedFiles: readonly (TestTotals & { readonly file: string })[]
}

/** The environment variable with the folder for the totals of one `npm test`. Without it, no totals are added up. */
export const TOTALS_FOLDER = 'SMSGW_TEST_TOTALS'

/** @param projectRoot the folder of the project, relative to the repository: `libs/sms` */
export function totalsFile(folder: string, projectRoot: string): string {
  return join(folder, `${projectRoot.replaceAll('/', '-')}.json`)
}

/**
 * The file with the totals of the last run. Nx stores it with a cached result and restores it; see `outputs` in
 * nx.json.
 */
export function cachedTotalsFile(root: string, projectRoot: string): string {
  return join(root, `.cache/test-totals/${projectRoot}.json`)
}

/**
 * Reads the totals of a run. Returns undefined if the file is missing because the run ended early or used a cached
 * result.
 */
export function readTotals(file: string): ProjectTotals | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
