import { Children, type ReactNode } from 'react'
import './dotted.css'

/** Short facts on one line, with dots between them. If the line wraps, no dot is left at the end of a line. */
export function Dotted({ children }: { readonly children: ReactNode }) {
  return (
    <span className="dotted">
      <span>
        {Children.map(Children.toArray(children), (fact, at) => (
          <span className="dotted-fact">
            {at > 0 && <span className="dotted-dot"> · </span>}
            {fact}
          </span>
        ))}
      </span>
    </span>
  )
}
