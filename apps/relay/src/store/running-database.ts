import { join } from 'node:path'
import { takeDataFolder, tryDataFolder } from '@smsgw/daemon/data-folder'
import type { RelayConfig } from '../config.ts'
import { runningPostgres } from './embedded/embedded-postgres.ts'

/** Of an embedded database that another process runs, that one; undefined: it is ours to start. */
export function runningDatabase({
  DATABASE_URL: url,
  DATA_DIR: folder,
}: Pick<RelayConfig, 'DATABASE_URL' | 'DATA_DIR'>): string | undefined {
  if (url !== undefined) return url
  if (!('heldBy' in tryDataFolder(folder))) return undefined
  const running = runningPostgres(join(folder, 'database'))
  // Its holder is starting or ending: whoever comes too early is told who that is.
  if (running === undefined) takeDataFolder(folder)
  return running
}
