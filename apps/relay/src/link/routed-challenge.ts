// A router accepts the WebSocket of an agent and sends the first frame, the challenge, because only the agent's answer
// names the device. The relay of the device then verifies the signature of the router's nonce. A header contains the
// nonce, with a keyed hash that proves that a router with the same SERVER_SECRET created the nonce.

import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { SecretBox } from '../store/secret-box.ts'

export interface RoutedChallenge {
  /** The id that the agent has to sign, in place of the id of the relay. */
  readonly relayId: string
  readonly nonce: string
}

export const ROUTED_CHALLENGE_HEADER = 'x-smsgw-challenge'

const PURPOSE = 'routed-challenge'
/** How long a challenge is accepted. The clocks of router and relay may differ by this time. */
const VALID_MS = 120_000

export function writeRoutedChallenge(
  box: Pick<SecretBox, 'fingerprint'>,
  { relayId, nonce }: RoutedChallenge,
  nowMs: number,
): string {
  const text = `${relayId}.${nonce}.${nowMs}`
  return `${text}.${box.fingerprint(text, PURPOSE)}`
}

/**
 * Returns the challenge in the header of a request. Undefined if there is none, or if no router with this secret wrote
 * it.
 */
export function readRoutedChallenge(
  box: Pick<SecretBox, 'fingerprint'>,
  { headers }: Pick<IncomingMessage, 'headers'>,
  nowMs: number,
): RoutedChallenge | undefined {
  const header = headers[ROUTED_CHALLENGE_HEADER]
  const [, text, relayId = '', nonce = '', at, hash] =
    /^(([\w-]{1,64})\.([\w-]{16,128})\.(\d{1,15}))\.([0-9a-f]{64})$/.exec(String(header ?? '')) ?? []
  if (text === undefined || hash === undefined) return undefined
  if (!timingSafeEqual(Buffer.from(hash), Buffer.from(box.fingerprint(text, PURPOSE)))) return undefined
  return Math.abs(nowMs - Number(at)) <= VALID_MS ? { relayId, nonce } : undefined
}
