import { useEffect } from 'react'

/**
 * The delay before the focus is restored. It is longer than the 10 ms after which Mantine returns the focus of a closed
 * dialog.
 */
const settleMs = 60
const items = 'li,tr'
/** The elements that can get the focus when the focused element disappears. */
const places = [items, 'section', 'form', 'main', '[role="dialog"]'].join()

/**
 * Keeps the focus on the page. A browser drops the focus when the focused element is removed or disabled, for example a
 * button during its request. An element that is enabled again gets the focus back. If the element was removed, the next
 * item of its list gets the focus, or the part of the page that contained the element. If the user takes the focus
 * away, for example with the key that hides the keyboard of a phone, it stays away.
 */
export function useKeptFocus(): void {
  useEffect(() => keepFocus(), [])
}

function keepFocus(): () => void {
  /** The element that had the focus last and the elements that contained it, innermost first. */
  let path: readonly Contained[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const note = ({ target }: FocusEvent) => {
    path = target instanceof Element && target !== document.body ? pathOf(target) : []
  }
  // Does not restore the focus if the user has moved it.
  const leave = ({ target }: Event) => {
    if (!(target instanceof Node) || !path[0]?.element.contains(target)) path = []
  }
  const leaveByKey = ({ key }: KeyboardEvent) => {
    if (key === 'Escape' && path[0]?.element.matches('input,textarea')) path = []
  }
  // An element that is being removed or disabled can lose the focus before the change is complete.
  const leaveIfUnchanged = ({ target }: FocusEvent) =>
    queueMicrotask(() => {
      const isUnchanged = target === path[0]?.element && isUsable(target)
      // A window that loses the focus gives it back to the element later.
      if (isUnchanged && document.activeElement === document.body && document.hasFocus()) path = []
    })
  const restore = () => {
    const last = path[0]?.element
    if (last === undefined || document.activeElement !== document.body) return
    if (!last.isConnected) focusPlace(placeOf(path) ?? document.getElementById('content'))
    else if (last instanceof HTMLElement && isUsable(last)) last.focus({ preventScroll: true })
  }
  const watcher = new MutationObserver(() => {
    if (path.length === 0 || document.activeElement !== document.body) return
    clearTimeout(timer)
    timer = setTimeout(restore, settleMs)
  })
  const listening = new AbortController()
  const { signal } = listening
  document.addEventListener('focusin', note, { signal })
  document.addEventListener('focusout', leaveIfUnchanged, { signal })
  document.addEventListener('pointerdown', leave, { signal, capture: true })
  document.addEventListener('keydown', leaveByKey, { signal, capture: true })
  watcher.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] })
  return () => {
    listening.abort()
    watcher.disconnect()
    clearTimeout(timer)
  }
}

function isUsable(target: EventTarget | undefined | null): boolean {
  return target instanceof Element && target.isConnected && !target.matches(':disabled')
}

interface Contained {
  readonly element: Element
  readonly next: Element | null
  readonly previous: Element | null
}

function pathOf(target: Element): readonly Contained[] {
  const path: Contained[] = []
  for (
    let element: Element | null = target;
    element !== null && element !== document.body;
    element = element.parentElement
  )
    path.push({ element, next: element.nextElementSibling, previous: element.previousElementSibling })
  return path
}

function placeOf(path: readonly Contained[]): Element | null | undefined {
  const at = path.findIndex(({ element }) => element.isConnected)
  const removed = path[at - 1]
  const neighbour = [removed?.next, removed?.previous].find((one) => one?.isConnected && one.matches(items))
  return neighbour ?? path[at]?.element.closest(places)
}

/** Focuses an element that normally cannot have the focus, until another element gets the focus. */
function focusPlace(place: Element | null): void {
  if (!(place instanceof HTMLElement)) return
  if (!place.hasAttribute('tabindex')) {
    place.tabIndex = -1
    place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true })
  }
  place.focus({ preventScroll: place.matches('main') })
}
