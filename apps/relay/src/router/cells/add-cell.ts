import { StartError } from '@smsgw/daemon/start-error'
import type { Pool } from 'pg'
import { readPushKeys } from '../../push/push-keys.ts'
import { databaseClient } from '../../store/connection/database-client.ts'
import { connectDatabase } from '../../store/database.ts'
import { opensCheck } from '../../store/installation.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import { drainFeed, type RefusedAccounts } from '../directory/cell-feed.ts'
import { type Cell, storeCell } from '../directory/directory.ts'
import { installFeed } from '../directory/install-feed.ts'
import { openPool } from '../directory/open-pool.ts'

export interface AddCellDeps {
  readonly directory: Pool
  readonly cells: readonly Cell[]
  readonly box: SecretBox
}

export interface AddedCell {
  /** True if the cell existed before. */
  readonly isChanged: boolean
  /** True if the cell got the push keys of the other cells, so that its relays have to start again. */
  readonly hasNewKeys: boolean
  readonly refused: RefusedAccounts
}

const LONG_MS = 600_000

/**
 * Adds a database and its relays as a cell, with all accounts that the database has, or changes the relays of a cell.
 * The feed begins before the cell is in the directory, so no credential is missed. Repeating this is harmless.
 */
export async function addCell({ directory, cells, box }: AddCellDeps, cell: Cell): Promise<AddedCell> {
  checkCell(cell, cells)
  await checkSecret(cell, box)
  const hasNewKeys = await sharePushKeys(cell, cells, box)
  const client = databaseClient({ url: cell.databaseUrl, application_name: 'smsgw cells' })
  await client.connect()
  try {
    await installFeed(client)
  } finally {
    await client.end()
  }
  await storeCell(directory, box, cell)
  const pool = openPool({ url: cell.databaseUrl, connections: 1, name: 'smsgw cells', statementTimeoutMs: LONG_MS })
  try {
    const refused = await drainFeed(directory, { id: cell.id, pool })
    return { isChanged: cells.some(({ id }) => id === cell.id), hasNewKeys, refused }
  } finally {
    await pool.end()
  }
}

function checkCell({ id, databaseUrl, relays }: Cell, cells: readonly Cell[]): void {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(id))
    throw new StartError(
      `${JSON.stringify(id)} is not a valid name of a cell: use up to 32 lower-case letters, digits and hyphens, for example eu-1`,
    )
  for (const relay of relays)
    if (!isRelayUrl(relay))
      throw new StartError(
        `${JSON.stringify(relay)} is not the address of a relay: use an address such as http://10.0.0.5:3000`,
      )
  const other = cells.find((one) => one.id !== id && one.databaseUrl === databaseUrl)
  if (other !== undefined)
    throw new StartError(
      `this database already belongs to the cell ${other.id}: set DATABASE_URL to the database of the new cell`,
    )
}

function isRelayUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.search !== '' || url.hash !== '') return false
  return url.protocol === 'http:' || url.protocol === 'https:'
}

/** All cells must have the same secret, because keys, tokens and encrypted values move together with an account. */
async function checkSecret({ databaseUrl }: Cell, box: SecretBox): Promise<void> {
  const client = databaseClient({ url: databaseUrl, application_name: 'smsgw cells' })
  await client.connect()
  try {
    const { rows } = await client.query<{ check: string }>(
      `SELECT secret_check AS check FROM installation WHERE id = 1`,
    )
    const [row] = rows
    if (row === undefined) throw notPrepared()
    if (!opensCheck(box, row.check))
      throw new StartError(
        'the database was created with another SERVER_SECRET: all cells of a directory need the same SERVER_SECRET',
      )
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) throw notPrepared()
    throw error
  } finally {
    await client.end()
  }
}

const UNDEFINED_TABLE = '42P01'

function notPrepared(): StartError {
  return new StartError('the database has no tables of a relay: run the command migrate with this DATABASE_URL first')
}

/**
 * Gives the cell the push keys of the other cells. A browser accepts notifications only with the key of its
 * subscription, so a cell needs the keys of accounts that move to it. Returns true if the keys of the cell changed.
 */
async function sharePushKeys(cell: Cell, cells: readonly Cell[], box: SecretBox): Promise<boolean> {
  const first = cells.find(({ id }) => id !== cell.id)
  const [own, others] = [
    connectDatabase({ url: cell.databaseUrl, connections: 1 }),
    first && connectDatabase({ url: first.databaseUrl, connections: 1 }),
  ]
  try {
    if (others === undefined) {
      await readPushKeys(own, box)
      return false
    }
    await readPushKeys(others, box)
    const where = { id: 1 }
    const shared = await others.installation.findUniqueOrThrow({ where })
    const { pushPublicKey, pushPrivateSealed } = shared
    const present = await own.installation.findUniqueOrThrow({ where })
    if (present.pushPublicKey === pushPublicKey) return false
    const subscriptions = await own.pushSubscription.count()
    if (subscriptions > 0)
      throw new StartError(
        `${subscriptions} browsers get notifications with the push keys of this database, which differ from those of the ` +
          `cell ${first?.id}. Only the first cell of a directory keeps its push keys: use an empty directory, and add this cell first`,
      )
    await own.installation.update({ where, data: { pushPublicKey, pushPrivateSealed } })
    return present.pushPublicKey !== null
  } finally {
    await own.$disconnect()
    await others?.$disconnect()
  }
}
