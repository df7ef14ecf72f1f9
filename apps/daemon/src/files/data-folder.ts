import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../start-error.ts'
import { describeDiskOf, isDiskFull } from './disk-space.ts'

const SQLITE_BUSY = 5

export interface DataFolder {
  readonly path: string
  release(): void
}

/**
 * Locks the folder for this process until it exits or crashes. Throws a StartError if another process holds the lock.
 */
export function takeDataFolder(folder: string): DataFolder {
  const result = tryDataFolder(folder)
  if (!('heldBy' in result)) return result
  throw new StartError(
    `${resolve(folder)} is in use by process ${result.heldBy}: stop that process, or set DATA_DIR to another folder`,
  )
}

/**
 * Locks the folder, or returns the process that holds the lock. Uses SQLite, because Node has no file locks. SQLite
 * uses the locks of the kernel. These locks end with the process, and they work across containers that share the
 * folder.
 */
export function tryDataFolder(folder: string): DataFolder | { readonly heldBy: string } {
  const path = resolve(folder)
  const owner = join(path, 'owner')
  const lock = openLock(path)
  try {
    lock.exec('BEGIN IMMEDIATE')
  } catch (error) {
    lock.close()
    if (isBusy(error)) return { heldBy: readOwner(owner) }
    throw unusable(path, error)
  }
  try {
    writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 })
  } catch (error) {
    lock.close()
    throw unusable(path, error)
  }
  held.add(lock)
  return {
    path,
    release() {
      held.delete(lock)
      lock.close()
    },
  }
}

/** Keeps the locks referenced, because a garbage-collected database would release its lock. */
const held = new Set<DatabaseSync>()

function openLock(path: string): DatabaseSync {
  try {
    makeFolder(path)
    return new DatabaseSync(join(path, 'lock'))
  } catch (error) {
    throw error instanceof StartError ? error : unusable(path, error)
  }
}

/**
 * Creates the folders one by one, because mkdir with `recursive` never returns in a file system such as /proc, which
 * refuses folders as if a parent were missing.
 */
function makeFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (found !== undefined) throw new StartError(`${path} is not a folder. Set DATA_DIR to a writable folder`)
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

function unusable(path: string, error: unknown): StartError {
  const problem = error instanceof Error ? error.message : String(error)
  const advice = isDiskFull(error)
    ? `. Disk full: ${describeDiskOf(path)}. Free disk space, then start again`
    : '. Set DATA_DIR to a writable folder'
  return new StartError(`${path} cannot be used: ${problem}${advice}`, { cause: error })
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

function readOwner(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return '(just started)'
  }
}
