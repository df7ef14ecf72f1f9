import { expect, test } from 'vitest'
import { databaseClient } from '../../store/connection/database-client.ts'
import type { TestAccount } from '../../testing/test-relay.ts'
import { fillAccount } from '../testing/fill-account.ts'
import { useTestCells } from '../testing/test-cells.ts'
import { continueMove } from './move-account.ts'
import { type AccountMove, beginMove, findMove } from './move-records.ts'

const world = useTestCells()

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

test('credentials that wait in the feed of the source reach the directory before the account moves', async () => {
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
  const { rows } = await world.directory.query(`SELECT name FROM credentials WHERE account_id = $1 AND kind = 'key'`, [
    account.id,
  ])
  expect(rows).toEqual([{ name: created.id }])
  expect((await world.api('GET', '/session', { auth: `Bearer ${created.key}` })).status).toBe(200)
})

test.each([
  [
    'a column that only the source has',
    {
      at: 0,
      change: 'ALTER TABLE accounts ADD COLUMN new_column text',
      undo: 'ALTER TABLE accounts DROP COLUMN new_column',
      names: /only one has the column accounts\.new_column/,
    },
  ],
  [
    'a migration that only the target has',
    {
      at: 1,
      change: `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('x', 'y', '9999_newer')`,
      undo: `DELETE FROM _prisma_migrations WHERE migration_name = '9999_newer'`,
      names: /is \d{4}_\w+ in one and 9999_newer in two/,
    },
  ],
] as const)(
  'a move is refused because of %s, and leaves the account in use',
  async (_, { at, change, undo, names }) => {
    const { account, begin } = await movingAccount()
    await inDatabase(at, change)
    const steps: string[] = []
    const onStep = ({ step }: AccountMove) => steps.push(step)
    await expect(continueMove({ ...(await world.deps()), onStep }, await begin())).rejects.toThrow(names)
    expect(steps).toEqual(['hold'])
    await inDatabase(at, undo)
    expect(await findMove(world.directory, account.username)).toBeUndefined()
    expect((await world.api('GET', '/session', { auth: account.basic })).status).toBe(200)
    expect(await continueMove(await world.deps(), await begin())).toMatchObject({ step: 'finished' })
  },
)

test('a second move from the same cell prolongs the keys that the first move copied', async () => {
  const [one, two] = world.relays
  const kids = (await one.database.signingKey.findMany()).map(({ kid }) => kid)
  const where = { kid: { in: kids } }
  const first = await movingAccount()
  await continueMove(await world.deps(), await first.begin())
  await two.database.signingKey.updateMany({ where, data: { retiresAt: new Date(0) } })
  const second = await movingAccount()
  await continueMove(await world.deps(), await second.begin())
  const copied = await two.database.signingKey.findMany({ where })
  expect(copied.map(({ kid }) => kid).toSorted()).toEqual(kids.toSorted())
  expect(copied.every(({ retiresAt }) => retiresAt !== null && retiresAt > new Date())).toBe(true)
})

test.each([
  [
    'an agent connects to the source and disconnects',
    async ({ id }: TestAccount) =>
      await inDatabase(0, `UPDATE devices SET conn_epoch = conn_epoch + 1 WHERE account_id = '${id}'`),
    /office-pi/,
  ],
  [
    'a caller sends a message directly to the source',
    async ({ basic: auth }: TestAccount) => {
      const body = { phoneNumbers: ['+447400123456'], textMessage: { text: 'direct' } }
      expect((await world.relays[0].api('POST', '/messages', { auth, body })).status).toBe(202)
    },
    /accepted messages of/,
  ],
] as const)('a move is cancelled if %s while rows are copied', async (_, bypass, error) => {
  const { account, begin } = await movingAccount()
  const [one] = world.relays
  await fillAccount(one.database, account.id)
  await inDatabase(0, `UPDATE devices SET name = 'office-pi' WHERE account_id = '${account.id}'`)
  const move = await begin()
  const unlock = await lockTable(1, 'logs')
  const result = continueMove(await world.deps(), move).then(
    () => undefined,
    (thrown: Error) => thrown.message,
  )
  await untilBlocked(1)
  await bypass(account)
  await unlock()
  expect(await result).toMatch(error)
  expect(await findMove(world.directory, account.username)).toBeUndefined()
  expect(await world.relays[1].database.account.count({ where: { id: account.id } })).toBe(0)
  expect((await world.api('GET', '/session', { auth: account.basic })).status).toBe(200)
})

test('a webhook that a user pauses while the move pauses it stays paused after the move', async () => {
  const { account, begin } = await movingAccount()
  const { basic: auth } = account
  const [one] = world.relays
  for (const id of ['paused', 'active']) {
    const body = { id, url: 'http://127.0.0.1:39999/', event: 'sms:sent' }
    expect((await one.api('POST', '/webhooks', { auth, body })).status).toBe(201)
  }
  const onStep = async ({ step }: AccountMove) => {
    if (step !== 'drain') return
    const { json: webhooks } = await one.api('GET', '/webhooks', { auth })
    expect(webhooks.map((webhook: object) => 'pausedAt' in webhook)).toEqual([false, false])
    const { status } = await one.api('PATCH', '/webhooks/paused', { auth, body: { paused: true } })
    expect(status).toBe(200)
  }
  await continueMove({ ...(await world.deps()), onStep }, await begin())
  const { json: webhooks } = await world.api('GET', '/webhooks', { auth })
  const pausedIds = webhooks.filter((webhook: object) => 'pausedAt' in webhook).map(({ id }: { id: string }) => id)
  expect(pausedIds).toEqual(['paused'])
})

/** Locks a table until the returned function is called. */
async function lockTable(at: 0 | 1, table: string): Promise<() => Promise<void>> {
  const client = databaseClient({ url: world.relays[at].databaseUrl })
  await client.connect()
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
  return async () => {
    await client.query('COMMIT')
    await client.end()
  }
}

/** Waits until a command waits for a lock. */
async function untilBlocked(at: 0 | 1): Promise<void> {
  const statement = `SELECT FROM pg_stat_activity WHERE application_name = 'smsgw cells' AND wait_event_type = 'Lock'
    AND datname = current_database()`
  await expect.poll(() => inDatabase(at, statement)).toEqual([1])
}
