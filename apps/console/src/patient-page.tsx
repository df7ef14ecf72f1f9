import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { WaitingLines } from './ui/lists/waiting-lines.tsx'

const waitingPage = (
  <div className="page">
    <WaitingLines lines={6} />
  </div>
)

const askMs = 2_000
/** A page that was reloaded within this time is not reloaded again, because another reload would not help. */
const soonMs = 30_000
const reloadedKey = 'smsgw-reloaded'

/**
 * A component that is loaded when it is first shown. `React.lazy` would delay each page by 300 ms to prevent flicker.
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
    // Throws the error, which the PageBoundary above shows.
    if (error !== undefined) throw error
    return Page === undefined ? waiting : <Page {...props} />
  }
}

/**
 * Loads a file. If this fails, the gateway is offline, or it was updated and has other files. When the gateway answers,
 * the page is reloaded, because browsers may remember that a file was missing.
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
