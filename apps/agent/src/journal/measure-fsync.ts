import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'

/** How long it takes here until a small write is on disk: the median of a few, in milliseconds. */
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
  } finally {
    closeSync(descriptor)
    rmSync(path, { force: true })
  }
}
