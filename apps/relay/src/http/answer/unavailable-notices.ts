/**
 * Logs that requests fail because the database is unavailable. The first failure is logged at once. After that, one
 * line per period reports the number of further failures. During an outage, a line per request would fill the disk.
 */
export function unavailableNotices(log: {
  warn(details: object, message: string): void
}): (details: object, reason: string) => void {
  let failed: number | undefined
  let latest = { details: {}, reason: '' }
  const write = (requests: number) => {
    log.warn({ ...latest.details, requests }, `requests answered with 503: ${latest.reason}`)
    failed = 0
    setTimeout(endPeriod, PERIOD_MS).unref()
  }
  const endPeriod = () => {
    if (failed) write(failed)
    else failed = undefined
  }
  return (details, reason) => {
    latest = { details, reason }
    if (failed === undefined) write(1)
    else failed += 1
  }
}

const PERIOD_MS = 10_000
