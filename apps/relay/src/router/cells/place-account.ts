import { StartError } from '@smsgw/daemon/start-error'
import type { Pool } from 'pg'
import { createAccount } from '../../accounts/create-account.ts'
import { removeAccount } from '../../accounts/remove-account.ts'
import { canonicalUsername } from '../../accounts/username.ts'
import type { CoreDeps } from '../../core-deps.ts'
import { connectDatabase } from '../../store/database.ts'
import { drainFeed } from '../directory/cell-feed.ts'
import type { Cell } from '../directory/directory.ts'
import { openPool } from '../directory/open-pool.ts'

export interface PlaceDeps extends Pick<CoreDeps, 'box' | 'random' | 'clock'> {
  readonly directory: Pool
  readonly cells: readonly Cell[]
}

const TIMEOUT_MS = 30_000

/** Returns the cell for a new account: the requested cell, or the open cell with the fewest accounts. */
export async function chooseCell(
  { directory, cells }: PlaceDeps,
  username: string,
  wanted: string | undefined,
): Promise<Cell> {
  const { rows: taken } = await directory.query<{ cell: string }>('SELECT cell FROM accounts WHERE username = $1', [
    canonicalUsername(username),
  ])
  if (taken[0] !== undefined) throw new StartError(`account ${username} already exists in the cell ${taken[0].cell}`)
  if (wanted !== undefined) {
    const cell = cells.find(({ id }) => id === wanted)
    if (cell === undefined) throw unknownCell(wanted, cells)
    return cell
  }
  const { rows } = await directory.query<{ id: string }>(
    `SELECT c.id FROM cells c LEFT JOIN accounts a ON a.cell = c.id WHERE c.is_open
     GROUP BY c.id ORDER BY count(a.id), c.id LIMIT 1`,
  )
  const cell = cells.find(({ id }) => id === rows[0]?.id)
  if (cell === undefined) throw new StartError('no cell accepts new accounts: add one with `cells add`, or use --cell')
  return cell
}

/**
 * Creates an account in the cell. Removes it again if another command created an account of the same name in another
 * cell at the same time.
 */
export async function placeAccount(
  { directory, box, random, clock }: PlaceDeps,
  cell: Cell,
  given: { readonly username: string; readonly password: string },
): Promise<string> {
  const database = connectDatabase({ url: cell.databaseUrl, connections: 2 })
  const pool = openPool({ url: cell.databaseUrl, connections: 1, name: 'smsgw cells', statementTimeoutMs: TIMEOUT_MS })
  try {
    const accountId = await createAccount({ database, box, random }, given)
    if (accountId === undefined)
      throw new StartError(
        `the cell ${cell.id} already has an account ${given.username}, but this account is not routed`,
      )
    const refused = await drainFeed(directory, { id: cell.id, pool })
    const { rowCount } = await directory.query('SELECT FROM accounts WHERE id = $1', [accountId])
    if (rowCount === 1) return accountId
    await removeAccount(database, clock, accountId)
    const isTaken = refused.some((one) => one.accountId === accountId)
    throw new StartError(
      `account ${given.username} was not created: ${isTaken ? 'the name is taken' : 'it was not routed'}`,
    )
  } finally {
    await pool.end()
    await database.$disconnect()
  }
}

export function unknownCell(id: string, cells: readonly Cell[]): StartError {
  const known = cells.map((cell) => cell.id).join(', ')
  return new StartError(
    `the directory has no cell ${id}${known === '' ? ': add one with `cells add`' : `; it has ${known}`}`,
  )
}
