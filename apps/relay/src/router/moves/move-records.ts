import { StartError } from '@smsgw/daemon/start-error'
import type { Pool, PoolClient } from 'pg'
import { HELD_BY_MOVE } from '../../webhooks/api/stored-webhook.ts'
import { nextChange } from '../directory/directory.ts'
import { runTransaction } from '../directory/open-pool.ts'
import { MoveTaken } from './lock-move.ts'

/**
 * The step that a move does next. `hold` pauses webhooks, `drain` waits for the routers, `fence` ends connections in
 * the source, `copy` copies the rows, `switch` sends requests to the target, `clean` deletes the rows in the source.
 */
export type MoveStep = 'hold' | 'drain' | 'fence' | 'copy' | 'switch' | 'clean' | 'finished' | 'cancelled'

export interface AccountMove {
  readonly id: string
  readonly accountId: string
  readonly username: string
  readonly source: string
  readonly target: string
  readonly step: MoveStep
  /** Webhooks that are paused since this time were paused by the move. A user's pause has its own time. */
  readonly heldSince: Date
  readonly drainedAt: Date | null
  readonly switchedAt: Date | null
  readonly rows: number | null
}

const COLUMNS = `id, account_id AS "accountId", username, source, target, step, held_since AS "heldSince",
  drained_at AS "drainedAt", switched_at AS "switchedAt", row_count::float8 AS rows`

/** Returns the unfinished moves. */
export async function readMoves(pool: Pool): Promise<AccountMove[]> {
  const { rows } = await pool.query<AccountMove>(`SELECT ${COLUMNS} FROM moves WHERE finished_at IS NULL ORDER BY id`)
  return rows
}

export async function findMove(pool: Pool, username: string): Promise<AccountMove | undefined> {
  const { rows } = await pool.query<AccountMove>(
    `SELECT ${COLUMNS} FROM moves WHERE username = $1 AND finished_at IS NULL`,
    [username],
  )
  return rows[0]
}

/** Reads the move again. Throws if it has ended. */
export async function refreshMove(pool: Pool, { id, username }: AccountMove): Promise<AccountMove> {
  const { rows } = await pool.query<AccountMove>(`SELECT ${COLUMNS} FROM moves WHERE id = $1 AND finished_at IS NULL`, [
    id,
  ])
  const [move] = rows
  if (move === undefined)
    throw new StartError(`another command has just ended the move of ${username}: look at \`smsgw cells list\``)
  return move
}

/** Stores a move, unless the account has a move or has left the source. */
export async function beginMove(
  pool: Pool,
  { accountId, username, source, target }: Pick<AccountMove, 'accountId' | 'username' | 'source' | 'target'>,
): Promise<AccountMove> {
  const { rows } = await pool.query<AccountMove>(
    `INSERT INTO moves (account_id, username, source, target, step, held_since)
     SELECT id, $2, $3, $4, 'hold', $5 FROM accounts WHERE id = $1 AND cell = $3
     ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
    [accountId, username, source, target, HELD_BY_MOVE],
  )
  const [move] = rows
  if (move === undefined) throw new MoveTaken(username)
  return move
}

/** Throws if the directory sends requests of the account to this cell, so that its rows there must not be deleted. */
export async function refuseOwner(pool: Pool, { accountId, username }: AccountMove, cell: string): Promise<void> {
  const { rowCount } = await pool.query('SELECT FROM accounts WHERE id = $1 AND cell = $2', [accountId, cell])
  if (rowCount !== 0) throw new Error(`the account ${username} is in use in the cell ${cell}: its rows stay there`)
}

/** Makes all routers hold the account. */
export function startDrain(pool: Pool, move: AccountMove): Promise<AccountMove> {
  return runTransaction(pool, async (client) => {
    await setAccount(client, move, move.source, true)
    return await setStep(client, move, 'drain', 'drained_at = now()')
  })
}

export async function recordStep(pool: Pool, move: AccountMove, step: MoveStep, rows?: number): Promise<AccountMove> {
  return await setStep(pool, move, step, rows === undefined ? '' : `row_count = ${Math.floor(rows)}`)
}

/** Makes all routers send the account to the target. */
export function recordSwitch(pool: Pool, move: AccountMove): Promise<AccountMove> {
  return runTransaction(pool, async (client) => {
    await setAccount(client, move, move.target, false)
    return await setStep(client, move, 'clean', 'switched_at = now()')
  })
}

/** Makes all routers send the account to the source again. */
export function recordCancel(pool: Pool, move: AccountMove): Promise<AccountMove> {
  return runTransaction(pool, async (client) => {
    await setAccount(client, move, move.source, false)
    return await setStep(client, move, 'cancelled', 'finished_at = now()')
  })
}

export async function recordEnd(pool: Pool, move: AccountMove): Promise<AccountMove> {
  return await setStep(pool, move, 'finished', 'finished_at = now()')
}

/** A router that has not reported that it holds the account. */
export interface LateRouter {
  readonly id: string
  readonly silentSeconds: number
}

/** Returns the routers that may still send requests of the account to the source. */
export async function readLateRouters(pool: Pool, accountId: string): Promise<LateRouter[]> {
  const { rows } = await pool.query<LateRouter>(
    `SELECT r.id, extract(epoch FROM now() - r.renewed_at)::int AS "silentSeconds" FROM routers r
     WHERE r.seen < (SELECT changed FROM accounts WHERE id = $1)`,
    [accountId],
  )
  return rows
}

async function setAccount(
  client: PoolClient,
  { accountId, username }: AccountMove,
  cell: string,
  isMoving: boolean,
): Promise<void> {
  const change = await nextChange(client)
  const { rowCount } = await client.query('UPDATE accounts SET cell = $2, is_moving = $3, changed = $4 WHERE id = $1', [
    ...[accountId, cell, isMoving, change],
  ])
  if (rowCount === 0) throw new Error(`the directory has no account ${username}: it was removed during the move`)
}

/** Throws if the step is no longer the one that this command knows: another command is then moving the account. */
async function setStep(
  client: Pool | PoolClient,
  { id, username, step: present }: AccountMove,
  step: MoveStep,
  also: string,
): Promise<AccountMove> {
  const { rows } = await client.query<AccountMove>(
    `UPDATE moves SET step = $2${also === '' ? '' : `, ${also}`} WHERE id = $1 AND step = $3 AND finished_at IS NULL
     RETURNING ${COLUMNS}`,
    [id, step, present],
  )
  const [move] = rows
  if (move === undefined) throw new MoveTaken(username)
  return move
}
