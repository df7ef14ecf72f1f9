import { type ComponentType, lazy } from 'react'

const askMs = 2_000
/** So soon after the page was loaded anew it would not help to do so again. */
const soonMs = 30_000
const reloadedKey = 'smsgw-reloaded'

/**
 * A page in a file of its own, loaded when it is first opened. Where it does not come the gateway is away, or has been
 * replaced by a newer one with other files: once it answers, everything is loaded anew, for a browser may remember that a
 * file did not come.
 */
export function patientPage<Props>(load: () => Promise<{ readonly default: ComponentType<Props> }>) {
  return lazy(async () => {
    try {
      return await load()
    } catch (error) {
      if (Date.now() - Number(sessionStorage.getItem(reloadedKey)) < soonMs) throw error
      while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, askMs))
      sessionStorage.setItem(reloadedKey, String(Date.now()))
      location.reload()
      return await new Promise<never>(() => undefined)
    }
  })
}

async function isThere(): Promise<boolean> {
  try {
    return (await fetch('/health/live')).ok
  } catch {
    return false
  }
}
