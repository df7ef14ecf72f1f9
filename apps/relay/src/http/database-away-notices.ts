/**
 * Says in the log that requests fail for want of the database: at once with what went wrong, and then, once in each period,
 * how many more did. A line for each would fill the disk while the database is away.
 */
export function databaseAwayNotices(
  log: { warn(details: object, message: string): void },
  periodMs = 10_000,
): (details: object) => void {
  let failed: number | undefined
  let latest: object = {}
  const tell = () => {
    if (failed) {
      log.warn({ ...latest, requests: failed }, 'the database is away')
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
      log.warn({ ...details, requests: 1 }, 'the database is away')
      begin()
    } else failed += 1
  }
}
