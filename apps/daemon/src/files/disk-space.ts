import { readFileSync, realpathSync, statfsSync } from 'node:fs'
import { resolve } from 'node:path'

/** The free space of the disk that contains a folder. */
export interface DiskSpace {
  /** The path of the folder. */
  readonly path: string
  /** The device, such as `/dev/mmcblk0p2 mounted at /`; undefined if the system does not list its mounts. */
  readonly disk: string | undefined
  /** The space that this user can write to, without the space that the system reserves for root. */
  readonly freeBytes: number
  /** Every file needs an inode. A disk without free inodes is full, even if it has free space. */
  readonly hasInodes: boolean
}

/** With less free space, writes may fail at any time, because a database needs space for its log. */
export const CRITICAL_FREE_BYTES = 50_000_000
/** With less free space, the disk will soon be full. */
export const LOW_FREE_BYTES = 500_000_000

/** Returns undefined when the folder does not exist or its file system cannot be read. */
export function readDiskSpace(folder: string): DiskSpace | undefined {
  const path = resolve(folder)
  try {
    const { bavail, bsize, files, ffree } = statfsSync(path)
    // Some file systems create inodes as needed, and report zero of zero.
    return { path, disk: diskOf(realpathSync(path)), freeBytes: bavail * bsize, hasInodes: files === 0 || ffree > 0 }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** `fail` if writes may fail at any time, `warn` if the disk will be full soon. */
export function diskStatus({ freeBytes, hasInodes }: DiskSpace): 'pass' | 'warn' | 'fail' {
  if (freeBytes < CRITICAL_FREE_BYTES || !hasInodes) return 'fail'
  return freeBytes < LOW_FREE_BYTES ? 'warn' : 'pass'
}

/** Returns a line such as `/var/lib/smsgw/agent has 12 MB free (/dev/mmcblk0p2 mounted at /)`. */
export function describeDiskSpace({ path, disk, freeBytes, hasInodes }: DiskSpace): string {
  const free = `${Math.floor(freeBytes / 1_000_000)} MB free`
  return `${path} has ${hasInodes ? free : `${free}, but no free inodes: delete files`}${disk ? ` (${disk})` : ''}`
}

/** Describes the disk of a folder. If the disk cannot be read, returns only the folder. */
export function describeDiskOf(folder: string): string {
  const space = readDiskSpace(folder)
  return space === undefined ? resolve(folder) : describeDiskSpace(space)
}

const SQLITE_FULL = 13

/** Returns true if an error of a file or of SQLite means that the disk is full. */
export function isDiskFull(error: unknown): error is Error & { readonly path?: string } {
  if (!(error instanceof Error)) return false
  return ('code' in error && error.code === 'ENOSPC') || ('errcode' in error && error.errcode === SQLITE_FULL)
}

/** Returns the disk of the longest mount point that contains the path. */
function diskOf(path: string): string | undefined {
  let found: { readonly mountPoint: string; readonly disk: string } | undefined
  for (const { mountPoint, disk } of mounts()) {
    const contains = path === mountPoint || path.startsWith(mountPoint === '/' ? '/' : `${mountPoint}/`)
    // A later mount hides an earlier mount at the same path.
    if (contains && mountPoint.length >= (found?.mountPoint.length ?? 0)) found = { mountPoint, disk }
  }
  return found === undefined ? undefined : `${found.disk} mounted at ${found.mountPoint}`
}

function mounts(): { readonly mountPoint: string; readonly disk: string }[] {
  return mountLines().map((line) => {
    const [before = '', after = ''] = line.split(' - ')
    // proc_pid_mountinfo(5): the fifth field is the mount point; the second field after the hyphen is the device.
    return { mountPoint: unescaped(before.split(' ')[4]), disk: unescaped(after.split(' ')[1]) }
  })
}

function mountLines(): string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8').trimEnd().split('\n')
  } catch (error) {
    // Returns no mounts on systems other than Linux, which do not have this file.
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
}

/** The kernel writes spaces as `\040`. */
function unescaped(field = ''): string {
  return field.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
}
