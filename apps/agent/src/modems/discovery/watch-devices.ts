import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type DeviceFolders, thisMachine, type Wanted } from './find-places.ts'

/**
 * Calls back when a device appears or disappears; returns a function that stops the watch. Never calls back if the
 * folder cannot be watched, so callers also check periodically.
 */
export function watchDevices(
  { addresses }: Wanted,
  onChange: () => void,
  { devices }: DeviceFolders = thisMachine,
): () => void {
  const paths = addresses.filter((address) => /^\.{0,2}\//.test(address))
  // Each folder is watched once, because a write to one of its devices calls every watcher of the folder.
  const others = Map.groupBy(paths, dirname)
  others.delete(devices)
  const ends = [
    watchFolder(devices, onChange),
    // Ignores changes of other files in the folder.
    ...[...others].map(([folder, listed]) => {
      const names = new Set(listed.map((path) => basename(path)))
      return watchFolder(folder, (name) => name !== null && names.has(name) && onChange())
    }),
  ]
  return () => {
    for (const end of ends) end()
  }
}

function watchFolder(folder: string, onChange: (name: string | null) => void): () => void {
  try {
    // Writing to a device causes `change` events, which are irrelevant.
    const watcher = watch(folder, { persistent: false }, (event, name) => event === 'rename' && onChange(name))
    watcher.on('error', () => watcher.close())
    return () => watcher.close()
  } catch {
    return () => undefined
  }
}
