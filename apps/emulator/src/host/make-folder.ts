import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder and its parents, one by one, because `mkdir` with `recursive` hangs in a file system that refuses
 * new folders, such as /proc.
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another emulator may have created the folder in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
