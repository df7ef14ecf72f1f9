import type { ReactNode, RefObject } from 'react'
import { partsOf } from './list-parts.ts'
import { WindowedPart } from './windowed-part.tsx'
import './windowed-list.css'

/** How many items are drawn or removed together. */
const PART_ITEMS = 50

/** A list of any length. Only the items near the visible part have elements. */
export function WindowedList<Item>({
  items,
  keyOf,
  draw,
  className,
  label,
  scroll,
  isComplete = true,
}: {
  readonly items: readonly Item[]
  readonly keyOf: (item: Item, at: number) => string
  readonly draw: (item: Item, at: number) => ListItem
  readonly className: string
  readonly label?: string
  /** The element that scrolls. Without it the window scrolls. */
  readonly scroll?: RefObject<HTMLElement | null>
  /** Whether no more items can be loaded. */
  readonly isComplete?: boolean
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the children of ul must be items, but parts are between
    <div role="list" className={`windowed-list ${className}`} aria-label={label}>
      {partsOf(items, PART_ITEMS).map(({ start, some }) => (
        <WindowedPart key={start} scroll={scroll} role="none" className="windowed-list-part">
          {some.map((item, at) => {
            const { children, ...attributes } = draw(item, start + at)
            return (
              // biome-ignore lint/a11y/useSemanticElements: li needs ul
              <div
                key={keyOf(item, start + at)}
                role="listitem"
                aria-posinset={start + at + 1}
                aria-setsize={isComplete ? items.length : -1}
                {...attributes}
              >
                {children}
              </div>
            )
          })}
        </WindowedPart>
      ))}
    </div>
  )
}

interface ListItem {
  readonly children: ReactNode
  readonly className?: string
  readonly [attribute: `data-${string}`]: string | undefined
}
