/**
 * Logs that requests fail because the database is unavailable: the first one at once, then one line per period with the
 * number of further ones. A line per request would fill the disk during an outage.
 */
export function unavailableNotices(
  log: { warn(details: object, message: string): void },
  periodMs = 10_000,
): (details: object) => void {
  let failed: number | undefined
  let latest: object = {}
  const tell = () => {
    if (failed) {
      log.warn({ ...latest, requests: failed }, 'requests answered with 503: database unavailable')
      begin()
    } else failed = undefined
  }
  const begin = () => {
    failed = 0
    setTimeout(tell, periodMs).unref()
  }
  return (details) => {
    latest = details
    if (failed === undefined) {
      log.warn({ ...details, requests: 1 }, 'requests answered with 503: database unavailable')
      begin()
    } else failed += 1
  }
}
