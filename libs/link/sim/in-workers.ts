import { Worker } from 'node:worker_threads'

/**
 * Runs one worker for each piece of work and gives back what each sent last. A worker posts what it has got so far as
 * often as it likes; it has ended when it exits.
 */
export function inWorkers<Work, Report>(
  script: URL,
  pieces: readonly Work[],
  onReport: (reports: readonly (Report | undefined)[]) => void = () => undefined,
): Promise<readonly Report[]> {
  const reports: (Report | undefined)[] = pieces.map(() => undefined)
  return Promise.all(
    pieces.map(
      (work, at) =>
        new Promise<Report>((resolve, reject) => {
          const worker = new Worker(script, { workerData: work })
          worker.on('message', (report: Report) => {
            reports[at] = report
            onReport(reports)
          })
          worker.on('error', reject)
          worker.on('exit', (code) => {
            const last = reports[at]
            if (code === 0 && last !== undefined) resolve(last)
            else reject(new Error(`a worker ended with code ${code} before its work was done`))
          })
        }),
    ),
  )
}
