import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { WaitingLines } from './ui/waiting-lines.tsx'

const waitingPage = (
  <div className="page">
    <WaitingLines lines={6} />
  </div>
)

const askMs = 2_000
/** So soon after the page was loaded anew it would not help to do so again. */
const soonMs = 30_000
const reloadedKey = 'smsgw-reloaded'

/**
 * What stands in a file of its own, loaded when it is first shown. React has a way for this too, which holds back what has
 * come for 300 ms, lest what was shown meanwhile should flicker: each page would be so much later.
 */
export function patientPage<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
  waiting: ReactNode = waitingPage,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  const loadOnce = async () => {
    loaded ??= (await patiently(load)).default
    return loaded
  }
  return (props: Props) => {
    const [{ Page, error }, setState] = useState<{ readonly Page?: ComponentType<Props>; readonly error?: unknown }>(
      () => (loaded === undefined ? {} : { Page: loaded }),
    )
    useEffect(() => {
      let isWanted = true
      const show = (state: { readonly Page?: ComponentType<Props>; readonly error?: unknown }) =>
        isWanted && setState(state)
      if (Page === undefined)
        void loadOnce().then(
          (page) => show({ Page: page }),
          (reason) => show({ error: reason }),
        )
      return () => {
        isWanted = false
      }
    }, [Page])
    // Whoever stands around it says what is wrong.
    if (error !== undefined) throw error
    return Page === undefined ? waiting : <Page {...props} />
  }
}

/**
 * Where a file does not come the gateway is away, or has been replaced by a newer one with other files: once it answers,
 * everything is loaded anew, for a browser may remember that a file did not come.
 */
async function patiently<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load()
  } catch (error) {
    if (Date.now() - Number(sessionStorage.getItem(reloadedKey)) < soonMs) throw error
    while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, askMs))
    sessionStorage.setItem(reloadedKey, String(Date.now()))
    location.reload()
    return await new Promise<never>(() => undefined)
  }
}

async function isThere(): Promise<boolean> {
  try {
    return (await fetch('/health/live')).ok
  } catch {
    return false
  }
}
