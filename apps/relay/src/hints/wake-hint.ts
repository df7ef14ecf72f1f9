import { parsedJson } from '@smsgw/contract/fields/json'
import { z } from 'zod'

const id = z.string().min(1).max(64)

/** A hint that a relay sends to itself and the others after a commit. A hint may be lost, so receivers also poll. */
const wakeHint = z.discriminatedUnion('kind', [
  /**
   * A command or message is waiting for the device. `due` means that the message is not urgent and may wait for credit.
   */
  z.object({ kind: z.literal('wake'), deviceId: id, due: z.literal('ordinary-sends').optional().catch(undefined) }),
  /** The new settings must be sent to the agents of the account. */
  z.object({ kind: z.literal('settings-changed'), accountId: id }),
  /** The agent of the device must be disconnected. */
  z.object({ kind: z.literal('device-revoked'), deviceId: id }),
  /** The device has a newer connection, so its older connections have to be closed. */
  z.object({ kind: z.literal('superseded'), deviceId: id, connEpoch: z.int(), bootId: id }),
  /** Tokens, sessions, the password or the account changed, so cached access is outdated. */
  z.object({ kind: z.literal('access-changed'), accountId: id }),
  /** A device answered a command. */
  z.object({ kind: z.literal('answered'), cmdId: id }),
])

export type WakeHint = z.infer<typeof wakeHint>

/** The channel for LISTEN and NOTIFY. */
export const CHANNEL = 'smsgw_hints'

/** PostgreSQL refuses payloads of 8000 or more bytes. */
const MAX_BYTES = 7_900

/** Encodes hints in as few NOTIFY payloads as possible. */
export function hintPayloads(from: string, hints: readonly WakeHint[]): string[] {
  const payloads: string[] = []
  let texts: string[] = []
  let bytes = 0
  for (const text of hints.map((hint) => JSON.stringify(hint))) {
    const more = Buffer.byteLength(text) + 1
    if (texts.length > 0 && bytes + more > MAX_BYTES - SENDER_BYTES) {
      payloads.push(payload(from, texts))
      texts = []
      bytes = 0
    }
    texts.push(text)
    bytes += more
  }
  return texts.length === 0 ? payloads : [...payloads, payload(from, texts)]
}

const SENDER_BYTES = 200

function payload(from: string, texts: readonly string[]): string {
  return `{"from":${JSON.stringify(from)},"hints":[${texts.join(',')}]}`
}

/**
 * Decodes a payload. Returns undefined when no relay wrote it. Leaves out hints of a kind that only a newer relay has.
 */
export function readHintPayload(text: string): { from: string; hints: WakeHint[] } | undefined {
  const parsed = envelope.safeParse(parsedJson(text))
  if (!parsed.success) return undefined
  return { from: parsed.data.from, hints: parsed.data.hints.flatMap(knownHint) }
}

const envelope = z.object({ from: z.string(), hints: z.array(z.unknown()) })

function knownHint(value: unknown): WakeHint[] {
  const parsed = wakeHint.safeParse(value)
  return parsed.success ? [parsed.data] : []
}
