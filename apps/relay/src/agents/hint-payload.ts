import { z } from 'zod'
import { type WakeHint, wakeHint } from './wake-hint.ts'

/** PostgreSQL refuses 8000 and more. */
const MOST_BYTES = 7_900

/** Hints as texts that NOTIFY takes, as few as possible. */
export function hintPayloads(from: string, hints: readonly WakeHint[]): string[] {
  const payloads: string[] = []
  let texts: string[] = []
  let bytes = 0
  for (const text of hints.map((hint) => JSON.stringify(hint))) {
    const more = Buffer.byteLength(text) + 1
    if (texts.length > 0 && bytes + more > MOST_BYTES - ROOM_FOR_SENDER) {
      payloads.push(payload(from, texts))
      texts = []
      bytes = 0
    }
    texts.push(text)
    bytes += more
  }
  return texts.length === 0 ? payloads : [...payloads, payload(from, texts)]
}

const ROOM_FOR_SENDER = 200

function payload(from: string, texts: readonly string[]): string {
  return `{"from":${JSON.stringify(from)},"hints":[${texts.join(',')}]}`
}

/** Undefined: it is not of a relay. Hints that a newer relay invented are left out. */
export function readHintPayload(text: string): { from: string; hints: WakeHint[] } | undefined {
  const parsed = envelope.safeParse(readJson(text))
  if (!parsed.success) return undefined
  return { from: parsed.data.from, hints: parsed.data.hints.flatMap(knownHint) }
}

const envelope = z.object({ from: z.string(), hints: z.array(z.unknown()) })

function knownHint(value: unknown): WakeHint[] {
  const parsed = wakeHint.safeParse(value)
  return parsed.success ? [parsed.data] : []
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
