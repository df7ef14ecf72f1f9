import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'

/** How long it takes here until a small write is on disk: the median of a few, in milliseconds. 0: a full disk does not tell. */
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
    // Only a figure for people: no reason not to start, and to be there when there is room again.
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return 0
    throw error
  } finally {
    closeSync(descriptor)
    rmSync(path, { force: true })
  }
}
