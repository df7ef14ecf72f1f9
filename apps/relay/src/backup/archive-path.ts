import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'

/** Returns the path of a new backup. Never returns the path of an existing file. */
export function newArchivePath(file: string): string {
  const path = resolve(file)
  if (existsSync(path)) throw new StartError(`${path} already exists: use another file name`)
  return path
}

/** Returns the path of the backup to restore. */
export function existingArchivePath(file: string): string {
  const path = resolve(file)
  if (!existsSync(path)) throw new StartError(`${path} does not exist`)
  return path
}
