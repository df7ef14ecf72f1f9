import { parse } from 'node:querystring'
import { isStorable } from './refuse-unstorable.ts'
import { refusal } from './validation-error.ts'

/** Reads the query parameters. The first value of a repeated name counts. */
export function readQuery(url: string): Readonly<Record<string, string>> {
  const mark = url.indexOf('?')
  if (mark === -1 || mark === url.length - 1) return NOTHING
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(parse(url.slice(mark + 1)))) {
    const text = (Array.isArray(value) ? value[0] : value) ?? ''
    if (!isStorable(text))
      throw refusal([{ path: name.slice(0, 64), message: 'contains a NUL character: remove it' }], 'query')
    query[name] = text
  }
  return query
}

const NOTHING: Readonly<Record<string, string>> = Object.freeze(Object.create(null))
