import { pathText, refusal } from './validation-error.ts'

/**
 * Refuses members that mean something to the engine (`__proto__`, `constructor.prototype`), and text that PostgreSQL
 * cannot hold: NUL and half a surrogate pair. All can only come with one of these words or with an escape, so nearly
 * every body is let through by a look at its text.
 */
export function refuseUnstorable(text: string, value: unknown): void {
  if (!SUSPICIOUS.test(text)) return
  // With a list of its own: a hostile value nests deeper than calls can.
  const waiting: Member[] = [{ name: '', value, path: [] }]
  for (let member = waiting.pop(); member !== undefined; member = waiting.pop()) {
    const problem = problemOf(member)
    if (problem !== undefined) throw refusal([{ path: pathText(member.path), message: problem }], 'body')
    for (const inner of membersOf(member)) waiting.push(inner)
  }
}

const SUSPICIOUS = /__proto__|constructor|\\u/

/** A path is told to this depth. */
const DEEPEST_TOLD = 8

interface Member {
  readonly name: string
  readonly value: unknown
  readonly path: readonly PropertyKey[]
}

function* membersOf({ value, path }: Member): Generator<Member> {
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [name, inner] of Object.entries(value)) {
    yield { name, value: inner, path: path.length < DEEPEST_TOLD ? [...path, isList ? Number(name) : name] : path }
  }
}

function problemOf({ name, value }: Member): string | undefined {
  if (name === '__proto__' || (name === 'constructor' && hasPrototype(value))) return 'is no member of any request'
  if (isStorable(name) && (typeof value !== 'string' || isStorable(value))) return undefined
  return 'holds a NUL or half a surrogate pair, which is no text'
}

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}
