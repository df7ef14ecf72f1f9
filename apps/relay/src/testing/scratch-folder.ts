import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ScratchFolder {
  readonly path: string
  /** Registers a step that runs before the folder is deleted. The steps run in reverse order. */
  endBefore(end: () => Promise<unknown>): void
  /** True if a signal aborted the work. Later errors of the work can then be ignored. */
  isBrokenOff(): boolean
}

/** The steps that delete folders after a signal. The process ends after the last of them. */
const clearing: Promise<unknown>[] = []

/** Runs work with a temporary folder, which is deleted afterwards, even after a signal. */
export async function withScratchFolder<T>(name: string, work: (folder: ScratchFolder) => Promise<T>): Promise<T> {
  const path = mkdtempSync(join(tmpdir(), `smsgw-${name}-`))
  const ends: (() => Promise<unknown>)[] = []
  let ending: Promise<never> | undefined
  const clear = async () => {
    for (const end of ends.splice(0).reverse()) await end()
    rmSync(path, { recursive: true, force: true })
  }
  const breakOff = (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => {
    ending ??= endAfterSignal(clear(), signal)
  }
  for (const signal of SIGNALS) process.on(signal, breakOff)
  try {
    return await work({ path, endBefore: (end) => ends.push(end), isBrokenOff: () => ending !== undefined })
  } finally {
    await ending
    for (const signal of SIGNALS) process.off(signal, breakOff)
    await clear()
  }
}

/** All folders get the signal in the same turn of the event loop. */
async function endAfterSignal(cleared: Promise<unknown>, signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): Promise<never> {
  clearing.push(cleared)
  await cleared.catch(() => undefined)
  await Promise.allSettled(clearing)
  process.exit(128 + constants.signals[signal])
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
