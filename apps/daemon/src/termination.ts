import { constants } from 'node:os'

/** A terminal signals the whole process group, and npm forwards the signal again: repeats within this time count as one. */
const ONE_SIGNAL_MS = 500

/** Calls `end` at the first termination signal and exits immediately at the second. */
export function onTermination(end: (signal: NodeJS.Signals) => Promise<void>): void {
  let firstAt: number | undefined
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const now = performance.now()
      if (firstAt !== undefined && now - firstAt > ONE_SIGNAL_MS) process.exit(128 + constants.signals[signal])
      if (firstAt === undefined) void end(signal)
      firstAt ??= now
    })
  }
}
