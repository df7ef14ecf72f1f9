import type { z } from 'zod'

/** Returns the first problem and its path: `modems[1].sim.number: must look like +447700900001`. */
export function firstProblem(error: z.ZodError): { readonly path: string; readonly problem: string } {
  const issue = deepest(error.issues[0])
  if (issue === undefined) return { path: '', problem: error.message }
  if (issue.code === 'unrecognized_keys')
    return { path: pathText([...issue.path, issue.keys[0] ?? '']), problem: 'is not a known name' }
  return { path: pathText(issue.path), problem: issue.message }
}

type Issue = z.core.$ZodIssue

/**
 * Returns the most useful problem. A union reports the problems of all its members, and the first problem with a path
 * is the most useful.
 */
function deepest(issue: Issue | undefined): Issue | undefined {
  if (issue?.code !== 'invalid_union') return issue
  const inner = issue.errors.flat().find((candidate) => candidate.path.length > 0)
  if (inner === undefined) return issue
  return deepest({ ...inner, path: [...issue.path, ...inner.path] })
}

function pathText(path: readonly PropertyKey[]): string {
  let text = ''
  for (const key of path) text += typeof key === 'number' ? `[${key}]` : `${text === '' ? '' : '.'}${String(key)}`
  return text
}

/** The deepest nesting, which is sufficient for a USSD menu of thirty steps. */
export const DEEPEST_NESTING = 64

/** Checks level by level. A recursive check, such as the check of a schema, would overflow the stack. */
export function isNestedTooDeeply(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; depth < DEEPEST_NESTING && level.length > 0; depth++)
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  return level.length > 0
}
