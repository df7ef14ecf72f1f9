import { expect, test } from 'vitest'
import { databaseClient } from '../../store/connection/database-client.ts'
import { interruptAt } from '../testing/interrupt-at.ts'
import { useTestCells } from '../testing/test-cells.ts'
import { cancelMove, continueMove, Interrupted } from './move-account.ts'
import { type AccountMove, beginMove, findMove } from './move-records.ts'

const world = useTestCells()

async function movingAccount() {
  const account = await world.relays[0].addAccount()
  const { basic: auth, id: accountId, username } = account
  const body = { id: 'hook', url: 'http://127.0.0.1:39999/', event: 'sms:sent' }
  expect((await world.api('POST', '/webhooks', { auth, body })).status).toBe(201)
  const move = await beginMove(world.directory, { accountId, username, source: 'one', target: 'two' })
  return { account, move }
}

const heldSince = async (accountId: string) => {
  const webhook = await world.relays[0].database.webhook.findFirstOrThrow({ where: { accountId } })
  return webhook.heldSince
}

/** The dependencies of a command that cannot reach the database of this cell. */
async function depsWithout(down: string) {
  const deps = await world.deps()
  const databaseUrl = 'postgresql://smsgw:x@127.0.0.1:1/smsgw'
  const cells = deps.cells.map((cell) => (cell.id === down ? { ...cell, databaseUrl } : cell))
  return { ...deps, cells }
}

test('a move is cancelled while the database of the target is down, with a warning', async () => {
  const { account, move } = await movingAccount()
  await expect(continueMove({ ...(await world.deps()), onStep: interruptAt('copy') }, move)).rejects.toThrow(
    Interrupted,
  )
  expect(await heldSince(account.id)).not.toBeNull()
  const warnings: string[] = []
  const deps = { ...(await depsWithout('two')), onWarning: (text: string) => warnings.push(text) }
  expect(await cancelMove(deps, move)).toMatchObject({ step: 'cancelled' })
  expect(warnings).toHaveLength(1)
  expect(await heldSince(account.id)).toBeNull()
  expect((await world.api('GET', '/session', { auth: account.basic })).status).toBe(200)
})

test('a move whose target becomes unreachable returns the account to its cell', async () => {
  const { account, move } = await movingAccount()
  await expect(continueMove({ ...(await world.deps()), onStep: interruptAt('copy') }, move)).rejects.toThrow(
    Interrupted,
  )
  await expect(continueMove(await depsWithout('two'), move)).rejects.toThrow(/ECONNREFUSED/)
  expect(await findMove(world.directory, account.username)).toBeUndefined()
  expect(await heldSince(account.id)).toBeNull()
  expect((await world.api('GET', '/session', { auth: account.basic })).status).toBe(200)
})

test('rows that a cancelled move left in the target are deleted by the next move', async () => {
  const { account, move } = await movingAccount()
  const [, two] = world.relays
  await two.database.account.create({ data: { id: account.id, username: account.username, passwordHash: '-' } })
  await cancelMove(await depsWithout('two'), move)
  expect(await two.database.account.count({ where: { id: account.id } })).toBe(1)
  const { accountId, username, source, target } = move
  const next = await beginMove(world.directory, { accountId, username, source, target })
  expect(await continueMove(await world.deps(), next)).toMatchObject({ step: 'finished' })
  expect((await world.api('GET', '/session', { auth: account.basic })).status).toBe(200)
})

test('the error of a failed move is reported with the error of its cancel, and stays its cause', async () => {
  const { move } = await movingAccount()
  const failure = new Error('the disk is full')
  const onStep = async ({ step }: AccountMove) => {
    if (step !== 'drain') return
    await endConnections('one')
    throw failure
  }
  const error = await continueMove({ ...(await world.deps()), onStep }, move).catch((thrown) => thrown)
  expect(error).toMatchObject({ cause: failure, message: expect.stringContaining('the disk is full') })
  expect(await cancelMove(await world.deps(), move)).toMatchObject({ step: 'cancelled' })
})

/** Ends the connections of commands to the database of a cell. */
async function endConnections(cell: string): Promise<void> {
  const { databaseUrl: url = '' } = (await world.cells()).find(({ id }) => id === cell) ?? {}
  const client = databaseClient({ url })
  await client.connect()
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'smsgw cells'`,
  )
  await client.end()
}
