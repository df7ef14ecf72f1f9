import type { Pool, PoolClient } from 'pg'
import { runTransaction } from './open-pool.ts'

/** The number of rows in one transaction. */
const AT_ONCE = 2_000

/** Locks the feed of a cell in the directory. The second key is the hash of the cell's name. */
const LOCK_CLASS = 1_936_554_701

export interface FeedRow {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly accountId: string
  readonly isRemoved: boolean
}

/** Accounts that the directory refused, because another cell has an account with this name. */
export type RefusedAccounts = readonly { readonly accountId: string; readonly username: string }[]

/**
 * Moves the new rows of a cell's feed to the directory, and returns when the feed has no more rows that were committed
 * before the call. Several programs may do this together: they take turns, and each applies the rows in their order. A
 * row is deleted only after the directory has it, so a row may be applied twice, but is never lost.
 */
export async function drainFeed(
  directory: Pool,
  cell: { readonly id: string; readonly pool: Pool },
): Promise<RefusedAccounts> {
  const refused: RefusedAccounts[number][] = []
  for (;;) {
    // Most feeds are empty, so the feed is read first without the lock.
    if ((await readFeed(cell.pool, 1)).length === 0) return refused
    const rows = await runTransaction(directory, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK_CLASS, cell.id])
      const read = await readFeed(cell.pool, AT_ONCE)
      refused.push(...(await applyRows(client, cell.id, read)))
      return read
    })
    await cell.pool.query('DELETE FROM smsgw_cells.feed WHERE id = ANY ($1::bigint[])', [rows.map(({ id }) => id)])
    if (rows.length < AT_ONCE) return refused
  }
}

async function readFeed(pool: Pool, limit: number): Promise<FeedRow[]> {
  const { rows } = await pool.query<FeedRow>(
    `SELECT id, kind, name, account_id AS "accountId", is_removed AS "isRemoved"
     FROM smsgw_cells.feed ORDER BY id LIMIT $1`,
    [limit],
  )
  return rows
}

/**
 * Applies the rows in their order. Rows about an account that is in another cell are ignored: this cell is then the
 * source or the target of a move. A cell cannot take over credentials of an account in another cell, nor the username
 * of any account.
 */
async function applyRows(client: PoolClient, cell: string, rows: readonly FeedRow[]): Promise<RefusedAccounts> {
  const refused: RefusedAccounts[number][] = []
  for (const run of runs(rows)) {
    const [{ kind = '', isRemoved = false } = {}] = run
    const ids = run.map(({ accountId }) => accountId)
    const names = run.map(({ name }) => name)
    if (kind === 'user' && isRemoved) {
      // Deletes the credentials too.
      await client.query('DELETE FROM accounts WHERE id = ANY ($1) AND cell = $2', [ids, cell])
    } else if (isRemoved) {
      await client.query(
        `DELETE FROM credentials c USING unnest($2::text[], $3::text[]) AS q (name, account_id), accounts a
         WHERE c.kind = $1 AND c.name = q.name AND c.account_id = q.account_id AND a.id = q.account_id AND a.cell = $4`,
        [kind, names, ids, cell],
      )
    } else {
      if (kind === 'user') refused.push(...(await addAccounts(client, cell, run)))
      await client.query(
        `INSERT INTO credentials (kind, name, account_id)
         SELECT DISTINCT ON (q.name) $1, q.name, a.id FROM unnest($2::text[], $3::text[]) AS q (name, account_id)
         JOIN accounts a ON a.id = q.account_id AND a.cell = $4 AND ($1 <> 'user' OR a.username = q.name)
         ON CONFLICT (kind, name) DO UPDATE SET account_id = excluded.account_id
         WHERE EXISTS (SELECT FROM accounts o WHERE o.id = credentials.account_id AND o.cell = $4)`,
        [kind, names, ids, cell],
      )
    }
  }
  return refused
}

/** Adds the accounts of these rows, or their new names. Returns the accounts whose name belongs to another account. */
async function addAccounts(client: PoolClient, cell: string, rows: readonly FeedRow[]): Promise<RefusedAccounts> {
  const refused: RefusedAccounts[number][] = []
  for (const { accountId, name: username } of rows) {
    const { rows: owners } = await client.query<{ id: string; cell: string }>(
      'SELECT id, cell FROM accounts WHERE username = $1',
      [username],
    )
    const [owner] = owners
    if (owner !== undefined && owner.id !== accountId) refused.push({ accountId, username })
    else
      await client.query(
        `INSERT INTO accounts (id, username, cell, changed)
         VALUES ($1, $2, $3, (SELECT change FROM directory_state))
         ON CONFLICT (id) DO UPDATE SET username = $2 WHERE accounts.cell = $3`,
        [accountId, username, cell],
      )
  }
  return refused
}

/** Splits the rows into runs of the same kind, so that one statement applies many rows. */
function runs(rows: readonly FeedRow[]): FeedRow[][] {
  const found: FeedRow[][] = []
  for (const row of rows) {
    const last = found.at(-1)
    const [first] = last ?? []
    if (last !== undefined && first?.kind === row.kind && first.isRemoved === row.isRemoved) last.push(row)
    else found.push([row])
  }
  return found
}
