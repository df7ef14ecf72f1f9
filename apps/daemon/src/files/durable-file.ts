import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file (mode 0600). When the function returns, the file is on disk. After a power cut, the file has either
 * the old or the new content.
 */
export function writeDurably(path: string, content: string): void {
  const temporary = `${path}.new`
  const descriptor = openSync(temporary, 'w', 0o600)
  try {
    // Unlike `writeSync`, fails if the disk has space only for a part of the content.
    writeFileSync(descriptor, content)
    fsyncSync(descriptor)
  } catch (error) {
    throw Object.assign(error as Error, { path })
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, path)
  syncFolder(dirname(path))
}

/** A renamed file is on disk under its new name only after its folder has been synced. */
export function syncFolder(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
