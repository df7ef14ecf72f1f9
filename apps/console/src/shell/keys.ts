import { useEffect } from 'react'

/** What each key does: `n`, or `g c` for one after the other. */
export type Keys = Readonly<Record<string, () => void>>

const sequenceMs = 1_500

/** Keys work wherever nothing is being written. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    let first: { readonly key: string; readonly atMs: number } | undefined
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event.target)) return
      const isSecond = first !== undefined && event.timeStamp - first.atMs < sequenceMs
      const act = keys[isSecond ? `${first?.key} ${event.key}` : event.key]
      first = isSecond ? undefined : { key: event.key, atMs: event.timeStamp }
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [keys])
}

/** Somebody writes there, or a dialogue is open above the page. */
function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"][aria-modal="true"]') !== null) return true
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}
