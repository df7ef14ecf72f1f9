import type { z } from 'zod'

/** Returns a path such as `phoneNumbers[2]` or `textMessage.text`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += `${text === '' ? '' : '.'}${String(part).slice(0, 64)}`
  }
  return text.slice(0, 256)
}

type RawIssue = Parameters<z.core.$ZodErrorMap>[0]

/**
 * Returns the problem as the end of a sentence that begins with the path. If the schema has its own message, zod
 * uses that message instead.
 */
export function problemWords(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined && issue.path?.length ? 'is required' : `must be ${kindOf(issue.expected)}`
    case 'too_small':
      return `must ${sizeText(issue.origin, 'at least', issue.minimum)}`
    case 'too_big':
      return `must ${sizeText(issue.origin, 'at most', issue.maximum)}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`
    case 'invalid_format':
      return 'has the wrong format: see /docs'
    default:
      return 'is not valid'
  }
}

function kindOf(expected: string): string {
  return KINDS[expected] ?? `of type ${expected}`
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
  record: 'a JSON object',
}

function sizeText(origin: string, bound: string, size: number | bigint): string {
  if (origin === 'string')
    return bound === 'at least' && size === 1 ? 'not be empty' : `have ${bound} ${size} characters`
  if (origin === 'array') return `have ${bound} ${size} item${size === 1 ? '' : 's'}`
  return `be ${bound} ${size}`
}
