import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** Beside the bundle where the relay is packaged; else in the repository. */
export function migrationsFolder(): string {
  const beside = resolve(import.meta.dirname, 'migrations')
  return existsSync(beside) ? beside : resolve(import.meta.dirname, '../../../../prisma/migrations')
}
