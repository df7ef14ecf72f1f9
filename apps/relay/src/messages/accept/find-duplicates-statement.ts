import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import { storedMessage, storedMessageColumns } from '../stored-message.ts'
import type { NewMessage } from './accept-messages.ts'

const duplicateRow = storedMessage.extend({
  /** The position of the claim in the list. */
  position: z.int(),
  idempotencyKey: z.string().nullable(),
  idempotencyFingerprint: z.instanceof(Uint8Array).nullable(),
})

/** An existing message with the idempotency key or the id of a new message. */
export type DuplicateMessage = Omit<z.output<typeof duplicateRow>, 'position'>

type Claim = Pick<NewMessage, 'accountId' | 'id' | 'idempotency'>

/**
 * Returns for each claim the message that has its idempotency key, or otherwise the message that has its id. Takes no
 * locks, because `storeMessages` has already waited for the commit of this message.
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
  const rows = await readRows(
    statements,
    duplicateRow,
    Prisma.sql`
    SELECT claimed.position, m.idempotency_key AS "idempotencyKey",
      m.idempotency_fingerprint AS "idempotencyFingerprint", ${storedMessageColumns}
    FROM json_to_recordset(${JSON.stringify(requested)}::json)
        AS claimed (position int, account_id text, id text, idempotency_key text)
      LEFT JOIN messages by_key
        ON by_key.account_id = claimed.account_id AND by_key.idempotency_key = claimed.idempotency_key
      LEFT JOIN messages by_id ON by_id.account_id = claimed.account_id AND by_id.id = claimed.id
      JOIN messages m ON m.key = coalesce(by_key.key, by_id.key)`,
  )
  const found = new Map(rows.map((row) => [row.position, row]))
  return claims.map((_, position) => found.get(position))
}
