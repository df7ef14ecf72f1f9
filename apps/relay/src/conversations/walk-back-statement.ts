import type { Statements } from '../store/database.ts'
import { latestMessages } from './latest-messages.ts'
import type { Sights } from './sights.ts'

export interface WalkedBack {
  readonly numbers: readonly string[]
  /** Nothing later than this was missed; undefined: nothing at all was. */
  readonly floor: Date | undefined
}

/** The numbers of the last so many messages in each direction, from a moment back. */
export async function walkBack(statements: Statements, sights: Sights, from: Date, steps: number): Promise<WalkedBack> {
  const { accountId, received } = sights
  const most = steps * 2
  const rows = await statements.$queryRaw<{ number: string; at: Date; floor: Date | null }[]>`
    WITH sent AS MATERIALIZED (
      ${latestMessages(sights, from, steps)}
    ), received AS MATERIALIZED (
      SELECT sender, created_at FROM inbox
      WHERE ${received} AND account_id = ${accountId} AND created_at <= ${from}
      ORDER BY created_at DESC, key DESC LIMIT ${steps}
    ), depth AS (
      SELECT greatest(
        (SELECT min(created_at) FROM sent HAVING count(*) >= ${steps}),
        (SELECT min(created_at) FROM received HAVING count(*) >= ${steps})) AS floor
    )
    SELECT number, max(at) AS at, (SELECT floor FROM depth) AS floor
    FROM (
      SELECT r.phone_number, sent.created_at FROM sent JOIN recipients r ON r.message_key = sent.key
      UNION ALL
      SELECT sender, created_at FROM received
    ) AS said (number, at)
    GROUP BY number ORDER BY at DESC LIMIT ${most}`
  const [first, last] = [rows[0], rows.length < most ? undefined : rows.at(-1)]
  const floors = [first?.floor, last?.at].filter((floor) => floor instanceof Date)
  return {
    numbers: rows.map(({ number }) => number),
    floor: floors.sort((a, b) => b.getTime() - a.getTime())[0],
  }
}
