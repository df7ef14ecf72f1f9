import { join } from 'node:path'
import { takeDataFolder, tryDataFolder } from '@smsgw/daemon/data-folder'
import type { RelayConfig } from '../config.ts'
import { runningPostgres } from './embedded/embedded-postgres.ts'

/** Returns the URL of the configured or the running embedded database, or undefined when the caller has to start it. */
export function runningDatabase({
  DATABASE_URL: url,
  DATA_DIR: folder,
}: Pick<RelayConfig, 'DATABASE_URL' | 'DATA_DIR'>): string | undefined {
  if (url !== undefined) return url
  if (!('heldBy' in tryDataFolder(folder))) return undefined
  const running = runningPostgres(join(folder, 'database'))
  // The process that owns the folder is starting or stopping, so this throws an error that names the process.
  if (running === undefined) takeDataFolder(folder)
  return running
}
