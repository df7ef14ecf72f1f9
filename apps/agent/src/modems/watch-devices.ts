import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type Machine, thisMachine, type Wanted } from './find-places.ts'

/**
 * Tells when a device appears or goes. Where it cannot be watched nothing is told: who needs to know looks now and then
 * anyway. Returns how to end it.
 */
export function watchDevices(
  { addresses }: Wanted,
  onChange: () => void,
  { devices }: Machine = thisMachine,
): () => void {
  const paths = addresses.filter((address) => /^\.{0,2}\//.test(address))
  const ends = [
    watchFolder(devices, onChange),
    // A folder with other things in it tells of all of them.
    ...paths.map((path) => watchFolder(dirname(path), (name) => name === basename(path) && onChange())),
  ]
  return () => {
    for (const end of ends) end()
  }
}

function watchFolder(folder: string, onChange: (name: string | null) => void): () => void {
  try {
    // A change may be a byte that somebody writes to a device.
    const watcher = watch(folder, { persistent: false }, (event, name) => event === 'rename' && onChange(name))
    watcher.on('error', () => watcher.close())
    return () => watcher.close()
  } catch {
    return () => undefined
  }
}
