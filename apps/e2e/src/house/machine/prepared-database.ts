import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(
  new URL('../../../../../apps/relay/src/testing/write-prepared-database.ts', import.meta.url),
)

/** The environment variable with the folder of the prepared database. */
const PREPARED = 'SMSGW_PREPARED_DATABASE'

/**
 * Creates the database that `placeDatabase` copies, once for all workers of a test run. Returns a function that deletes
 * the database.
 */
export function prepareDatabase(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-prepared-'))
  execFileSync(process.execPath, [script, join(folder, 'database')], { stdio: ['ignore', 'inherit', 'inherit'] })
  process.env[PREPARED] = join(folder, 'database')
  return () => rmSync(folder, { recursive: true, force: true })
}

/** The folder of the prepared database; undefined outside of a test run, for example in a benchmark. */
export const preparedDatabase = (): string | undefined => process.env[PREPARED]

/**
 * Puts a database without rows into the data folder of a relay. The relay then starts with a quarter of the CPU time,
 * because it need not run `initdb` and all migrations. Outside of a test run, the relay creates its database itself,
 * and the result is false.
 */
export function placeDatabase(dataDir: string): boolean {
  const prepared = preparedDatabase()
  if (prepared === undefined) return false
  mkdirSync(dataDir, { recursive: true })
  execFileSync('cp', ['--archive', '--reflink=auto', prepared, join(dataDir, 'database')])
  return true
}
