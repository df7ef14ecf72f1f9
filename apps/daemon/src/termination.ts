import { constants } from 'node:os'

/**
 * Signals within this time count as one signal, because a terminal sends the signal to the whole process group, and npm
 * also forwards the signal.
 */
const ONE_SIGNAL_MS = 500

/** Calls `end` at the first termination signal and exits immediately at the second. */
function onTermination(end: (signal: NodeJS.Signals) => Promise<void>): void {
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

export interface Service {
  stop(): Promise<void>
}

export interface ServiceRun<S extends Service> {
  /**
   * A signal during the start aborts `stopping`. The start then rejects, or resolves with a service that is stopped at
   * once.
   */
  readonly start: (stopping: AbortSignal) => Promise<S>
  readonly onStopping?: (signal: NodeJS.Signals) => void
  readonly onStopped?: () => void
  /**
   * The longest duration of a stop. After this time the process exits anyway. Stored data is consistent at any time.
   */
  readonly stopLimitMs?: number
}

/**
 * Starts a service. A termination signal stops it at any moment, even during the start, and the process then exits with
 * 0.
 */
export async function runService<S extends Service>({
  start,
  onStopping,
  onStopped,
  stopLimitMs,
}: ServiceRun<S>): Promise<S> {
  const stopping = new AbortController()
  let starting: Promise<S> | undefined
  onTermination(async (signal) => {
    onStopping?.(signal)
    if (stopLimitMs !== undefined) setTimeout(() => process.exit(0), stopLimitMs).unref()
    stopping.abort()
    const service = await starting?.catch(() => undefined)
    await service?.stop()
    onStopped?.()
    process.exit(0)
  })
  try {
    starting = start(stopping.signal)
    return await starting
  } catch (error) {
    // Waits, because the signal ended the start, and the process exits as soon as the handler above has finished.
    if (stopping.signal.aborted) return await new Promise(() => undefined)
    throw error
  }
}

/** Rejects if `stopping` is aborted before `work` has ended. The work continues until the process exits. */
export function unlessStopping<T>(stopping: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (stopping.aborted) reject(stopping.reason)
    stopping.addEventListener('abort', () => reject(stopping.reason), { once: true })
    work.then(resolve, reject)
  })
}
