import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'

/** Returns the path of a new backup. Existing files are never overwritten. */
export function newArchivePath(args: readonly string[], command: string): string {
  const path = theOnly(args, command)
  if (existsSync(path)) throw new StartError(`${path} already exists: use another file name`)
  return path
}

/** Returns the path of the backup to restore. */
export function existingArchivePath(args: readonly string[], command: string): string {
  const path = theOnly(args, command)
  if (!existsSync(path)) throw new StartError(`${path} does not exist`)
  return path
}

function theOnly([file, ...more]: readonly string[], command: string): string {
  if (file === undefined || file.startsWith('-') || more.length > 0)
    throw new StartError(`exactly one file name is required: ${command}`)
  return resolve(file)
}
