import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** Returns the folder next to the bundle of a packaged relay, otherwise the folder in the repository. */
export function migrationsFolder(): string {
  const beside = resolve(import.meta.dirname, 'migrations')
  return existsSync(beside) ? beside : resolve(import.meta.dirname, '../../../../../prisma/migrations')
}
