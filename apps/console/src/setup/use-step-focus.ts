import { type FocusEvent, useEffect, useRef } from 'react'

/**
 * Moves the focus to the heading of the current step when the focus was in the body of the previous step, which was
 * removed.
 */
export function useStepFocus(step: string) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(step)
  const wasInBody = useRef(false)
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    if (wasInBody.current && document.activeElement === document.body) heading.current?.focus()
    wasInBody.current = false
  }, [step])
  return {
    heading,
    body: {
      onFocus: () => {
        wasInBody.current = true
      },
      // The step still counts as focused if no other element gets the focus, for example if a button loses the focus
      // because it is disabled.
      onBlur: ({ relatedTarget, currentTarget }: FocusEvent) => {
        if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) wasInBody.current = false
      },
    },
  }
}
