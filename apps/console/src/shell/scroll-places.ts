import { useEffect } from 'react'

/**
 * How long to wait for content that loads later and is needed to restore the position. On a slow network, a page of a
 * list takes seconds.
 */
const patienceMs = 10_000
const interruptions = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Back and Forward restore the scroll position that the page had, and a link opens a page at its top. The browser
 * itself would restore the position before the page is drawn.
 */
export function useScrollPlaces(): void {
  useEffect(() => keepScrollPlaces(), [])
}

function keepScrollPlaces(): () => void {
  const places = new Map<string, number>()
  let shown = location.href
  let restoring: AbortController | undefined
  const record = () => {
    if (restoring === undefined) places.set(location.href, scrollY)
  }
  const leave = () => {
    const before = shown
    shown = location.href
    // Stores the position of the old page, which is still drawn. Its last scroll event may come only after the address
    // has changed.
    if (restoring === undefined) places.set(before, scrollY)
    restoring?.abort()
    return before !== shown
  }
  const stay = () => {
    shown = location.href
  }
  const follow = () => leave() && scrollTo({ top: 0 })
  const goBack = () => {
    const top = places.get(location.href) ?? 0
    if (!leave()) return
    const attempt = new AbortController()
    attempt.signal.addEventListener('abort', () => {
      if (restoring === attempt) restoring = undefined
    })
    restoring = attempt
    for (const kind of interruptions) addEventListener(kind, () => attempt.abort(), { signal: attempt.signal })
    const untilMs = performance.now() + patienceMs
    const step = () => {
      if (attempt.signal.aborted) return
      scrollTo({ top })
      if (Math.abs(scrollY - top) <= 1 || performance.now() > untilMs) attempt.abort()
      else requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  }
  // Lets the browser restore the position after a reload.
  const letBrowserRestore = () => {
    history.scrollRestoration = 'auto'
  }
  const restoreHere = () => {
    history.scrollRestoration = 'manual'
  }
  restoreHere()
  const listening = new AbortController()
  const { signal } = listening
  addEventListener('scroll', record, { passive: true, signal })
  // The router dispatches pushState and replaceState.
  addEventListener('pushState', follow, { signal })
  addEventListener('replaceState', stay, { signal })
  addEventListener('popstate', goBack, { signal })
  addEventListener('pagehide', letBrowserRestore, { signal })
  addEventListener('pageshow', restoreHere, { signal })
  return () => {
    listening.abort()
    restoring?.abort()
    letBrowserRestore()
  }
}
