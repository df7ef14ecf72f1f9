import { type RefObject, useEffect, useRef } from 'react'

/**
 * Moves the focus to the first field that an error is about, because a long form may have to be scrolled to this field.
 * Returns the reference of the form.
 */
export function useFocusOnProblem<Form extends HTMLElement>(error: Error | null): RefObject<Form | null> {
  const form = useRef<Form>(null)
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])
  return form
}
