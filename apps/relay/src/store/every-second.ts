/**
 * Calls the work once a second, until the returned function is called. All works of this process are called at about
 * the same time, so that an idle process wakes up once a second instead of once for each of them.
 */
export function everySecond(work: () => void): () => void {
  let timer: NodeJS.Timeout
  const wait = () => {
    timer = setTimeout(() => {
      wait()
      work()
    }, pauseMs(SECOND_MS)).unref()
  }
  wait()
  return () => clearTimeout(timer)
}

/**
 * Returns the pause before the next run of a work with this interval. The pause is up to a second shorter than the
 * interval, so that works with different intervals are called at the same time.
 */
export function pauseMs(intervalMs: number): number {
  const stepMs = Math.min(intervalMs, SECOND_MS)
  const ms = intervalMs - (performance.now() % stepMs)
  return Math.ceil(ms < stepMs / 10 ? ms + stepMs : ms)
}

const SECOND_MS = 1_000
