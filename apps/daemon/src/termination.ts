import { constants } from 'node:os'

/**
 * Whoever started us may send its signal to us and to our whole group, and the scripts of npm hand it on once more: what
 * comes within this time is one.
 */
const ONE_SIGNAL_MS = 500

/** Ends in good order at the first signal; at a second one the process is gone at once. */
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
