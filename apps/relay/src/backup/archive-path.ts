import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'

/** Where a new backup goes: to a name that is free, so that none is ever written over. */
export function newArchivePath(args: readonly string[], command: string): string {
  const path = theOnly(args, command)
  if (existsSync(path)) throw new StartError(`${path} is there already: name another file`)
  return path
}

/** The backup that is to be restored. */
export function existingArchivePath(args: readonly string[], command: string): string {
  const path = theOnly(args, command)
  if (!existsSync(path)) throw new StartError(`${path} is not there`)
  return path
}

function theOnly([file, ...more]: readonly string[], command: string): string {
  if (file === undefined || file.startsWith('-') || more.length > 0) throw new StartError(`name one file: ${command}`)
  return resolve(file)
}
