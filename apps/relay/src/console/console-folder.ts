import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** Beside the bundle where the relay is packaged; else where the repository builds it. */
export function consoleFolder(): string {
  const beside = resolve(import.meta.dirname, 'console')
  return existsSync(beside) ? beside : resolve(import.meta.dirname, '../../../console/dist')
}
