import type { Statements } from '../store/database.ts'
import { storeMessages } from './accept-statement.ts'
import type { NewMessage } from './new-message.ts'
import type { StoredMessage } from './stored-message.ts'
import { findTaken, type TakenBy } from './taken-statement.ts'

export type AcceptOutcome =
  /** On disk. */
  | { readonly kind: 'accepted' }
  /** The same was asked before, under the same idempotency key. */
  | { readonly kind: 'repeated'; readonly message: StoredMessage }
  /** The idempotency key stands for something else. */
  | { readonly kind: 'key-taken' }
  | { readonly kind: 'id-taken' }
  | { readonly kind: 'device-gone' }

/** Makes each of them durable, or says why not. No two of them may have the same id or idempotency key. */
export async function acceptMessages(
  statements: Statements,
  messages: readonly NewMessage[],
  patienceMs: number,
): Promise<readonly AcceptOutcome[]> {
  const leftOut = await storeMessages(statements, messages, patienceMs)
  if (leftOut.length === 0) return messages.map(() => accepted)
  const others = leftOut.flatMap((position) => messages[position] ?? [])
  const taken = await findTaken(statements, others)
  const outcomes = new Map(others.map((message, index) => [message, outcomeOf(message, taken[index])]))
  return messages.map((message) => outcomes.get(message) ?? accepted)
}

const accepted: AcceptOutcome = { kind: 'accepted' }

function outcomeOf(message: NewMessage, taken: TakenBy | undefined): AcceptOutcome {
  if (taken === undefined) return { kind: 'device-gone' }
  // Its own: the connection was lost before the answer came, and it was tried again.
  if (taken.recipients[0]?.cmdId === message.recipients[0]?.cmdId) return accepted
  return repeatOutcome(message, taken) ?? { kind: 'id-taken' }
}

/** What an idempotency key that was used before means for who uses it again. */
export function repeatOutcome({ idempotency }: Pick<NewMessage, 'idempotency'>, taken: TakenBy) {
  if (idempotency === undefined || taken.idempotencyKey !== idempotency.key) return undefined
  const isSame = Buffer.compare(taken.idempotencyFingerprint ?? new Uint8Array(), idempotency.fingerprint) === 0
  return isSame ? ({ kind: 'repeated', message: taken } as const) : ({ kind: 'key-taken' } as const)
}
