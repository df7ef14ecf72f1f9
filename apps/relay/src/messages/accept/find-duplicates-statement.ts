import type { Statements } from '../../store/database.ts'
import { type StoredMessage, storedMessageColumns } from '../stored-message.ts'
import type { NewMessage } from './accept-messages.ts'

/** An existing message with the idempotency key or the id of a new one. */
export interface DuplicateMessage extends StoredMessage {
  readonly idempotencyKey: string | null
  readonly idempotencyFingerprint: Uint8Array | null
}

type Claim = Pick<NewMessage, 'accountId' | 'id' | 'idempotency'>

/**
 * Returns for each claim the message that has its idempotency key, else the one that has its id. Takes no locks: the
 * caller has waited for the commit of the other message.
 */
export async function findDuplicates(
  statements: Statements,
  claims: readonly Claim[],
): Promise<readonly (DuplicateMessage | undefined)[]> {
  const requested = claims.map(({ accountId, id, idempotency }, position) => ({
    position,
    account_id: accountId,
    id,
    idempotency_key: idempotency?.key,
  }))
  const rows = await statements.$queryRaw<(DuplicateMessage & { position: number })[]>`
    SELECT asked.position, m.idempotency_key AS "idempotencyKey",
      m.idempotency_fingerprint AS "idempotencyFingerprint", ${storedMessageColumns}
    FROM json_to_recordset(${JSON.stringify(requested)}::json)
        AS asked (position int, account_id text, id text, idempotency_key text)
      LEFT JOIN messages by_key
        ON by_key.account_id = asked.account_id AND by_key.idempotency_key = asked.idempotency_key
      LEFT JOIN messages by_id ON by_id.account_id = asked.account_id AND by_id.id = asked.id
      JOIN messages m ON m.key = coalesce(by_key.key, by_id.key)`
  const found = new Map(rows.map((row) => [row.position, row]))
  return claims.map((_, position) => found.get(position))
}
