import type { z } from 'zod'

/** The first thing wrong, with where: `modems[1].sim.number: must look like +447700900001`. */
export function firstProblem(error: z.ZodError): { readonly path: string; readonly problem: string } {
  const issue = deepest(error.issues[0])
  if (issue === undefined) return { path: '', problem: error.message }
  if (issue.code === 'unrecognized_keys')
    return { path: pathText([...issue.path, issue.keys[0] ?? '']), problem: 'is not known here' }
  return { path: pathText(issue.path), problem: issue.message }
}

type Issue = z.core.$ZodIssue

/** A union reports what each of its members disliked: the first member with a path of its own says most. */
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
