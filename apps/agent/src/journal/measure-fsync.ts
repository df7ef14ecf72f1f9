import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'

/** Returns the median time until a small write is on disk, in milliseconds; 0 when the disk is full. */
export function measureFsync(beside: string, times = 7): number {
  const path = `${beside}.fsync`
  const descriptor = openSync(path, 'w', 0o600)
  try {
    const durations = Array.from({ length: times }, () => {
      const from = performance.now()
      writeSync(descriptor, Buffer.alloc(4096, 1))
      fdatasyncSync(descriptor)
      return performance.now() - from
    })
    return durations.sort((a, b) => a - b)[times >> 1] ?? 0
  } catch (error) {
    // A full disk must not prevent the start, because the duration is only shown to people.
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return 0
    throw error
  } finally {
    closeSync(descriptor)
    rmSync(path, { force: true })
  }
}
