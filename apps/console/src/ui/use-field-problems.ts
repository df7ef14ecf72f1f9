import { type RefObject, useEffect, useRef } from 'react'
import { ApiFailure } from '../api/request/ask.ts'

interface FieldProblems<Form> {
  /** The reference of the form. */
  readonly form: RefObject<Form | null>
  /** The problem of a field, by the path of its member in the request. */
  readonly of: (path: string) => string | undefined
  /** The error, unless the fields of the form show all its problems. */
  readonly rest: Error | null
}

/**
 * Assigns the problems of a request to the fields of its form, and moves the focus to the first of these fields,
 * because a long form may have to be scrolled to it.
 * @param members the members of the request whose problems are shown beside their fields
 */
export function useFieldProblems<Form extends HTMLElement = HTMLFormElement>(
  error: Error | null,
  members: readonly string[],
): FieldProblems<Form> {
  const form = useRef<Form>(null)
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])
  const failure = error instanceof ApiFailure ? error : undefined
  return { form, of: (path) => failure?.about(path), rest: failure?.isOnlyAbout(members) ? null : error }
}
