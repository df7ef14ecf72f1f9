import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

/**
 * The distance from the visible part within which elements are kept, so that they exist before they are scrolled into
 * view.
 */
const MARGIN_PX = 2_000

/**
 * One part of a long scrolling page. Far from the visible part, it has no elements but keeps its height, because
 * thousands of elements would make each change of the page slow.
 */
export function WindowedPart({
  scroll,
  className,
  role,
  children,
}: {
  /** The element that scrolls. Undefined if the window scrolls. */
  readonly scroll: RefObject<HTMLElement | null> | undefined
  readonly className: string
  readonly role?: 'none'
  readonly children: ReactNode
}) {
  const part = useRef<HTMLDivElement>(null)
  const height = useRef(0)
  const [isNear, setNear] = useState(true)
  useEffect(() => {
    if (part.current === null) return
    const watcher = new IntersectionObserver(
      (seen) => {
        const isThere = seen.at(-1)?.isIntersecting ?? true
        // Keeps the element with the focus, so that the focus is not lost.
        if (!isThere && part.current?.contains(document.activeElement)) return
        // Ignores a list that is not displayed, because it has no height.
        if (!isThere && part.current?.offsetHeight === 0) return
        if (!isThere) height.current = part.current?.offsetHeight ?? 0
        setNear(isThere)
      },
      { root: scroll?.current ?? null, rootMargin: `${MARGIN_PX}px 0px` },
    )
    watcher.observe(part.current)
    return () => watcher.disconnect()
  }, [scroll])
  useLayoutEffect(() => {
    const [element, scroller] = [part.current, scroll?.current]
    if (!isNear || height.current === 0 || element === null) return
    // Corrects the scroll position if the elements are higher than the space that was kept for them, for example after
    // the window became narrower. If the window scrolls, the browser corrects the position.
    const isAbove = scroller && element.getBoundingClientRect().top < scroller.getBoundingClientRect().top
    if (scroller && isAbove) scroller.scrollTop += element.offsetHeight - height.current
    height.current = 0
  }, [isNear, scroll])
  return (
    <div ref={part} role={role} className={className} style={isNear ? undefined : { height: height.current }}>
      {isNear && children}
    </div>
  )
}
