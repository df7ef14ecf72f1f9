import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** For its owner alone; whole and on disk when this returns, and as it was before when the power fails meanwhile. */
export function writeDurably(path: string, content: string): void {
  const beside = `${path}.new`
  const descriptor = openSync(beside, 'w', 0o600)
  try {
    writeSync(descriptor, content)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(beside, path)
  syncFolder(dirname(path))
}

/** The new name of a file is on disk only when its folder is. */
export function syncFolder(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
