import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseClient } from '../../store/connection/database-client.ts'
import { type TestCells, testCells } from '../testing/test-cells.ts'
import { continueMove } from './move-account.ts'
import { type AccountMove, beginMove, findMove } from './move-records.ts'

/** Moves take long on a busy machine. */
const LONG_MS = 300_000

let world: TestCells

beforeAll(async () => {
  world = await testCells()
}, LONG_MS)
afterAll(() => world.close())

async function movingAccount() {
  const account = await world.relays[0].addAccount()
  expect((await world.api('GET', '/session', { auth: account.basic })).status).toBe(200)
  const { id: accountId, username } = account
  const begin = () => beginMove(world.directory, { accountId, username, source: 'one', target: 'two' })
  return { account, begin }
}

/** Runs statements in the database of a cell. */
async function inDatabase(at: 0 | 1, ...statements: readonly string[]): Promise<number[]> {
  const client = databaseClient({ url: world.relays[at].databaseUrl })
  await client.connect()
  const counts: number[] = []
  for (const statement of statements) counts.push((await client.query(statement)).rowCount ?? 0)
  await client.end()
  return counts
}

test(
  'credentials that wait in the feed of the source reach the directory before the account moves',
  async () => {
    const { account, begin } = await movingAccount()
    const [one] = world.relays
    const create = async () => {
      const body = { name: 'program', scopes: ['messages:list'] }
      return (await one.api('POST', '/keys', { auth: account.basic, body })).json
    }
    const old = await create()
    expect((await world.api('GET', '/session', { auth: `Bearer ${old.key}` })).status).toBe(200)
    // The router has not seen these changes.
    const created = await create()
    await one.database.apiKey.delete({ where: { id: old.id } })
    let waiting: number[] = []
    const onStep = async ({ step }: AccountMove) => {
      if (step === 'switch')
        waiting = await inDatabase(1, `SELECT FROM smsgw_cells.feed WHERE account_id = '${account.id}'`)
    }
    await continueMove({ ...(await world.deps()), onStep }, await begin())
    expect(waiting).toEqual([0])
    const { rows } = await world.directory.query(
      `SELECT name FROM credentials WHERE account_id = $1 AND kind = 'key'`,
      [account.id],
    )
    expect(rows).toEqual([{ name: created.id }])
    expect((await world.api('GET', '/session', { auth: `Bearer ${created.key}` })).status).toBe(200)
  },
  LONG_MS,
)
