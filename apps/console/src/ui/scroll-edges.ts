import './scroll-edges.css'

/**
 * A reference for an element that scrolls. Its edges fade where it has more content, because many systems show a scroll
 * bar only while the user scrolls.
 */
export function scrollEdges(element: HTMLElement | null): (() => void) | undefined {
  if (element === null) return undefined
  const mark = () => {
    const { scrollTop, scrollLeft, clientHeight, clientWidth, scrollHeight, scrollWidth } = element
    element.toggleAttribute('data-more-above', scrollTop > 1)
    element.toggleAttribute('data-more-below', scrollTop + clientHeight < scrollHeight - 1)
    element.toggleAttribute('data-more-left', scrollLeft > 1)
    element.toggleAttribute('data-more-right', scrollLeft + clientWidth < scrollWidth - 1)
  }
  const sizes = new ResizeObserver(mark)
  sizes.observe(element)
  const contents = new MutationObserver(mark)
  contents.observe(element, { childList: true, characterData: true, subtree: true })
  element.addEventListener('scroll', mark, { passive: true })
  return () => {
    sizes.disconnect()
    contents.disconnect()
    element.removeEventListener('scroll', mark)
  }
}
