import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** With those above it. Node's own `recursive` never comes back where the kernel lets nobody make a folder, as in /proc. */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another emulator may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
