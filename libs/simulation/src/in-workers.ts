/** The members of a `Worker` from `node:worker_threads` that `inWorkers` uses. */
export interface WorkerThread {
  on(event: 'message' | 'error' | 'exit', listener: (value: unknown) => void): unknown
}

/**
 * Runs one worker for each piece of work and returns the last report of each worker. A worker may post a report at any
 * time and is done when it exits.
 */
export function inWorkers<Work, Report>(
  pieces: readonly Work[],
  startWorker: (work: Work) => WorkerThread,
  onReport: (reports: readonly (Report | undefined)[]) => void = () => undefined,
): Promise<readonly Report[]> {
  const reports: (Report | undefined)[] = pieces.map(() => undefined)
  return Promise.all(
    pieces.map(
      (work, at) =>
        new Promise<Report>((resolve, reject) => {
          const worker = startWorker(work)
          worker.on('message', (report) => {
            reports[at] = report as Report
            onReport(reports)
          })
          worker.on('error', reject)
          worker.on('exit', (code) => {
            const last = reports[at]
            if (code === 0 && last !== undefined) resolve(last)
            else reject(new Error(`a worker exited with code ${code} before it finished its work`))
          })
        }),
    ),
  )
}
