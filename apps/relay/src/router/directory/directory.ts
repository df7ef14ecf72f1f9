// The directory: which cell holds which account, and which account a credential belongs to. Only this file and
// `cell-feed.ts` change accounts and credentials there.
import type { Pool, PoolClient } from 'pg'
import type { SecretBox } from '../../store/secret-box.ts'
import type { Claim } from '../claims/claim.ts'
import { runTransaction } from './open-pool.ts'

/** Purpose of the encrypted database address of a cell. */
const CELL_DATABASE = 'cell-database'

export interface Cell {
  readonly id: string
  readonly databaseUrl: string
  /** Base URLs of the relays. */
  readonly relays: readonly string[]
  /** True if new accounts are placed in this cell. */
  readonly isOpen: boolean
}

export interface Placement {
  readonly accountId: string
  readonly cell: string
  readonly isMoving: boolean
}

/** The accounts of the claims that are known, and the number of the last change that this answer contains. */
export interface FoundClaims {
  readonly change: number
  readonly placements: ReadonlyMap<Claim, Placement>
}

type OpenBox = Pick<SecretBox, 'open'>
type SealBox = Pick<SecretBox, 'seal'>

export async function readCells(pool: Pool | PoolClient, box: OpenBox): Promise<Cell[]> {
  const { rows } = await pool.query<{ id: string; sealed: string; relays: string[]; isOpen: boolean }>(
    `SELECT id, database_sealed AS sealed, relays, is_open AS "isOpen" FROM cells ORDER BY id`,
  )
  return rows.map(({ id, sealed, relays, isOpen }) => ({
    ...{ id, relays, isOpen },
    databaseUrl: box.open(sealed, CELL_DATABASE),
  }))
}

/** Adds a cell, or changes its address, its relays, and whether it accepts new accounts. */
export function storeCell(pool: Pool, box: SealBox, cell: Cell): Promise<void> {
  return runTransaction(pool, async (client) => {
    await nextChange(client)
    await client.query(
      `INSERT INTO cells (id, database_sealed, relays, is_open) VALUES ($1, $2, $3, $4)
       ON CONFLICT (id) DO UPDATE SET database_sealed = $2, relays = $3, is_open = $4`,
      [cell.id, box.seal(cell.databaseUrl, CELL_DATABASE), [...cell.relays], cell.isOpen],
    )
  })
}

/** Finds the accounts of claims, with one statement for any number of claims. */
export async function findPlacements(pool: Pool, claims: readonly Claim[]): Promise<FoundClaims> {
  const { rows } = await pool.query<{
    change: string
    at: number | null
    accountId: string
    cell: string
    isMoving: boolean
  }>(
    `SELECT state.change, found.* FROM directory_state state LEFT JOIN (
       SELECT (q.at - 1)::int AS at, a.id AS "accountId", a.cell, a.is_moving AS "isMoving"
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS q (kind, name, at)
       LEFT JOIN credentials c ON q.kind <> 'account' AND c.kind = q.kind AND c.name = q.name
       JOIN accounts a ON a.id = CASE WHEN q.kind = 'account' THEN q.name ELSE c.account_id END
     ) found ON true`,
    [claims.map(({ kind }) => kind), claims.map(({ name }) => name)],
  )
  const placements = new Map<Claim, Placement>()
  for (const { at, accountId, cell, isMoving } of rows) {
    const claim = at === null ? undefined : claims[at]
    if (claim !== undefined) placements.set(claim, { accountId, cell, isMoving })
  }
  return { change: Number(rows[0]?.change ?? 0), placements }
}

/** Returns the number of the last change. */
export async function readChange(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ change: string }>('SELECT change FROM directory_state')
  return Number(rows[0]?.change ?? 0)
}

/** Returns the accounts whose placement has changed since the change with the number `after`. */
export async function readChangedAccounts(pool: Pool, after: number): Promise<Placement[]> {
  const { rows } = await pool.query<Placement>(
    `SELECT id AS "accountId", cell, is_moving AS "isMoving" FROM accounts WHERE changed > $1`,
    [after],
  )
  return rows
}

/** Returns the accounts that are moving. */
export async function readMovingAccounts(pool: Pool): Promise<Placement[]> {
  const { rows } = await pool.query<Placement>(
    `SELECT id AS "accountId", cell, is_moving AS "isMoving" FROM accounts WHERE is_moving`,
  )
  return rows
}

/** Records that a router applies all changes up to this number. */
export async function recordSeen(pool: Pool, routerId: string, seen: number): Promise<void> {
  await pool.query(
    `INSERT INTO routers (id, seen) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET seen = $2, renewed_at = now()`,
    [routerId, seen],
  )
}

export async function removeRouter(pool: Pool, routerId: string): Promise<void> {
  await pool.query('DELETE FROM routers WHERE id = $1', [routerId])
}

/**
 * Returns the number of the next change. Other changes wait until the transaction ends, so commits have the order of
 * the numbers.
 */
export async function nextChange(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ change: string }>(
    'UPDATE directory_state SET change = change + 1 RETURNING change',
  )
  return Number(rows[0]?.change)
}
