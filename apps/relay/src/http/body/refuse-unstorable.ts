import { pathText } from '@smsgw/contract/fields/problem-words'
import { fieldError } from '../errors/validation-error.ts'

/**
 * Refuses members with a meaning in JavaScript (`__proto__`, `constructor.prototype`), and text that PostgreSQL cannot
 * store (NUL and lone surrogates). A body can contain such a member or text only if its JSON text contains one of these
 * names or an escape. So for nearly every body, a search in the JSON text is sufficient.
 */
export function refuseUnstorable(text: string, value: unknown): void {
  if (!SUSPICIOUS.test(text)) return
  // Uses a list, not recursion, because a hostile value may be nested deeper than the stack allows.
  const waiting: Member[] = [{ name: '', value, path: [] }]
  for (let member = waiting.pop(); member !== undefined; member = waiting.pop()) {
    const problem = problemOf(member)
    if (problem !== undefined) throw fieldError(pathText(member.path), problem)
    for (const inner of membersOf(member)) waiting.push(inner)
  }
}

const SUSPICIOUS = /__proto__|constructor|\\u/

/** The longest path that an error message shows. */
const LONGEST_PATH = 8

interface Member {
  readonly name: string
  readonly value: unknown
  readonly path: readonly PropertyKey[]
}

function* membersOf({ value, path }: Member): Generator<Member> {
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [name, inner] of Object.entries(value)) {
    yield { name, value: inner, path: path.length < LONGEST_PATH ? [...path, isList ? Number(name) : name] : path }
  }
}

function problemOf({ name, value }: Member): string | undefined {
  if (name === '__proto__' || (name === 'constructor' && hasPrototype(value))) return 'is not allowed as a member name'
  if (isStorable(name) && (typeof value !== 'string' || isStorable(value))) return undefined
  return 'contains a NUL character or a lone surrogate: remove it'
}

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}
