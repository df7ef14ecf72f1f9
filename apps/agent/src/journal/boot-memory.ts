import { lstatSync, mkdirSync, readFileSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** What a machine remembers until it is switched off, and no backup, image or snapshot of its disks holds. */
export interface BootMemory {
  /** The kernel's name of this boot. */
  readonly bootId: string
  /** In memory alone. */
  readonly folder: string
}

/** Undefined where there is none that can be relied upon. */
export function bootMemory(shared = '/dev/shm'): BootMemory | undefined {
  try {
    if (statfsSync(shared).type !== tmpfs) return undefined
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    const uid = process.getuid?.()
    const folder = join(shared, `smsgw-${uid}`)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Everybody may write beside it: what another has put there is not believed, nor a link to anywhere.
    const found = lstatSync(folder)
    const isOurs = found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0
    return isOurs ? { bootId, folder } : undefined
  } catch (error) {
    // Another system, or one that is closed off: then only the relay can say it.
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

const tmpfs = 0x01021994
