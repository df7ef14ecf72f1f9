import { type RawStatements, withoutPrisma } from '../store/raw-statements.ts'
import { storableJson, storableText } from '../store/storable.ts'

export interface LogRow {
  readonly accountId: string
  readonly deviceId: string | undefined
  readonly createdAt: Date
  readonly module: string
  readonly priority: string
  readonly message: string
  readonly context: Readonly<Record<string, string>>
}

/**
 * Inserts rows of several accounts and skips those of removed accounts. Locks the accounts against removal until the
 * insert. Otherwise, one entry of a removed account would violate the foreign key, and the whole statement would fail.
 */
export async function storeLogRows(statements: RawStatements, rows: readonly LogRow[]): Promise<void> {
  const column = <T>(pick: (row: LogRow) => T) => rows.map(pick)
  await withoutPrisma(statements).$executeRaw`
    INSERT INTO logs (account_id, device_id, created_at, module, priority, message, context)
    SELECT row.account_id, row.device_id, row.created_at, row.module, row.priority, row.message, row.context
    FROM unnest(
      ${column(({ accountId }) => accountId)}::text[], ${column(({ deviceId }) => deviceId ?? null)}::text[],
      ${column(({ createdAt }) => createdAt)}::timestamptz[], ${column(({ module }) => storableText(module))}::text[],
      ${column(({ priority }) => priority)}::text[], ${column(({ message }) => storableText(message))}::text[],
      ${column(({ context }) => jsonOf(context))}::jsonb[]
    ) WITH ORDINALITY AS row (account_id, device_id, created_at, module, priority, message, context, number)
    JOIN accounts ON accounts.id = row.account_id
    ORDER BY row.number
    FOR KEY SHARE OF accounts`
}

function jsonOf(context: LogRow['context']): string | null {
  return Object.keys(context).length === 0 ? null : JSON.stringify(storableJson(context))
}
