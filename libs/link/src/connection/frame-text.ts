import { isObject, parsedJson } from '@smsgw/contract/fields/json'
import { pathText, problemWords } from '@smsgw/contract/fields/problem-words'
import type { CloseName } from '@smsgw/contract/link/close-code'
import { type AgentFrame, agentFrames, maxFrameBytes, type RelayFrame, relayFrames } from '@smsgw/contract/link/frame'

export type FrameReading<Frame> =
  | { readonly kind: 'frame'; readonly frame: Frame }
  /** The frame is from a newer version and not critical. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'refused'; readonly why: CloseName; readonly reason: string }

/** Reads a frame from a relay. */
export function readRelayFrame(text: string): FrameReading<RelayFrame> {
  return read<RelayFrame>(text, relayFrames)
}

/** Reads a frame from an agent. */
export function readAgentFrame(text: string): FrameReading<AgentFrame> {
  return read<AgentFrame>(text, agentFrames)
}

/** Bytes in UTF-8. */
export function byteLength(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit >= 0x800) bytes += unit >= 0xd800 && unit <= 0xdfff ? 1 : 2
    else if (unit >= 0x80) bytes += 1
  }
  return bytes
}

export function fitsFrame(text: string): boolean {
  // A UTF-16 unit has at most three bytes in UTF-8, so the bytes of a short text need not be counted.
  return text.length * 3 <= maxFrameBytes || byteLength(text) <= maxFrameBytes
}

interface Schema<T> {
  safeParse(
    value: unknown,
    options: typeof inWords,
  ): { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } }
}
interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** The field that selects one of several forms, if the issue is about this field. */
  readonly discriminator?: string | undefined
}

function read<Frame>(text: string, schemas: Readonly<Record<string, Schema<Frame>>>): FrameReading<Frame> {
  if (text.length > maxFrameBytes) return refused('too-much', `frame larger than ${maxFrameBytes} bytes`)
  const value = isTooDeep(text) ? undefined : parsedJson(text)
  if (!isObject(value)) return refused('malformed', 'a frame must be a JSON object, nested at most 32 deep')
  const { type } = value
  if (typeof type !== 'string') return refused('malformed', 'a frame must have a type')
  const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined
  if (schema === undefined) {
    if (value['critical'] !== true) return { kind: 'ignored' }
    return refused('unsupported', `unknown type of critical frame: ${type.slice(0, 32)}`)
  }
  const parsed = schema.safeParse(value, inWords)
  if (parsed.success) return { kind: 'frame', frame: parsed.data }
  return refused('malformed', `${type}: ${problemOf(parsed.error.issues)}`)
}

/** The option with which a schema describes its problems as the end of a sentence that begins with the field. */
export const inWords = {
  error: (issue: Parameters<typeof problemWords>[0]) =>
    // The documentation for programs, which the words of this issue name, does not describe the link.
    issue.code === 'invalid_format' ? 'has the wrong format' : problemWords(issue),
}

/**
 * Returns a sentence about a wrong field, for issues that were found with `inWords`. Never returns the value, which may
 * be a phone number or a message text.
 */
export function problemOf(issues: readonly Issue[]): string {
  const [issue] = issues
  if (issue === undefined) return 'it is not valid'
  const words = issue.discriminator === undefined ? issue.message : 'is unknown to this version'
  return `${pathText(issue.path) || 'it'} ${words}`
}

function refused(why: CloseName, reason: string): FrameReading<never> {
  return { kind: 'refused', why, reason }
}

const mostDepth = 32

/** Checks the nesting depth, because JSON that is nested too deep would overflow the stack. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (isInString) {
      if (unit === 0x5c) at += 1
      else if (unit === 0x22) isInString = false
    } else if (unit === 0x22) isInString = true
    else if (unit === 0x7b || unit === 0x5b) {
      depth += 1
      if (depth > mostDepth) return true
    } else if (unit === 0x7d || unit === 0x5d) depth -= 1
  }
  return false
}
