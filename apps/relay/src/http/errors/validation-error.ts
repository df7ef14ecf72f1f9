import { reasonOf } from '@smsgw/contract/fields/problem-reason'
import { pathText, problemWords } from '@smsgw/contract/fields/problem-words'
import type { z } from 'zod'
import { ApiError, type FieldError, type ValueProblem } from './api-error.ts'

/** The largest number of problems in an answer. */
const MOST_PROBLEMS = 20

/** Parses a value with a schema. Throws 400 with the problems of each member. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place: 'body' | 'query',
): z.output<Schema> {
  // The reason of a problem depends on whether there was an input.
  const result = schema.safeParse(value, { error: problemWords, reportInput: true })
  if (result.success) return result.data
  throw validationError(
    withoutImpliedLimits(result.error.issues).map((issue) => ({
      path: pathText(issue.path),
      ...reasonOf(issue),
      message: issue.message,
    })),
    place,
  )
}

/** Omits the largest integer of JavaScript if the value also exceeds the limit of its own field. */
function withoutImpliedLimits(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const isImplied = (issue: z.core.$ZodIssue) =>
    (issue.code === 'too_big' && issue.maximum === Number.MAX_SAFE_INTEGER) ||
    (issue.code === 'too_small' && issue.minimum === Number.MIN_SAFE_INTEGER)
  const limited = new Set(issues.filter((issue) => !isImplied(issue)).map(limitOf))
  return issues.filter((issue) => !isImplied(issue) || !limited.has(limitOf(issue)))
}

function limitOf({ code, path }: z.core.$ZodIssue): string {
  return `${code} ${pathText(path)}`
}

export function validationError(problems: readonly FieldError[], place: 'body' | 'query'): ApiError {
  const errors = problems.slice(0, MOST_PROBLEMS)
  const [first = { path: '', message: 'is not valid' }] = errors
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return new ApiError(400, `${first.path === '' ? `The ${place}` : first.path} ${first.message}${more}`, { errors })
}

/** @param problem a message if it needs no code */
export function fieldError(path: string, problem: string | ValueProblem, place: 'body' | 'query' = 'body'): ApiError {
  return validationError([{ path, ...(typeof problem === 'string' ? { message: problem } : problem) }], place)
}
