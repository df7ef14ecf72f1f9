import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseClient } from '../../store/connection/database-client.ts'
import { openPool } from '../directory/open-pool.ts'
import { interruptAt } from '../testing/interrupt-at.ts'
import { type TestCells, testCells } from '../testing/test-cells.ts'
import { MoveTaken } from './lock-move.ts'
import { cancelMove, continueMove, Interrupted } from './move-account.ts'
import { type AccountMove, beginMove, findMove, type MoveStep, recordStep } from './move-records.ts'

let world: TestCells
let commands: Pool[]

beforeAll(async () => {
  world = await testCells()
  commands = [newDirectory(), newDirectory()]
})
afterAll(async () => {
  for (const pool of commands) await pool.end()
  await world.close()
})

/** The connections of another command to the directory. */
function newDirectory(): Pool {
  const { connectionString: url = '' } = world.directory.options
  return openPool({ url, connections: 3, name: 'test command', statementTimeoutMs: 30_000 })
}

async function movingAccount() {
  const account = await world.relays[0].addAccount()
  expect((await world.api('GET', '/session', { auth: account.basic })).status).toBe(200)
  const { id: accountId, username } = account
  const move = await beginMove(world.directory, { accountId, username, source: 'one', target: 'two' })
  return { account, move }
}

const deps = async (command: number) => ({ ...(await world.deps()), directory: commands[command] ?? world.directory })

const accountsIn = (id: string) =>
  Promise.all(world.relays.map(({ database }) => database.account.count({ where: { id } })))

/** Returns a step handler that stops at this step until it is released. */
function stopAt(wanted: MoveStep) {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const onStep = async ({ step }: AccountMove) => {
    if (step !== wanted) return
    reached.resolve()
    await released.promise
  }
  return { onStep, reached: reached.promise, release: () => released.resolve() }
}

test('while a command moves an account, no other command may move it or cancel the move', async () => {
  const { account, move } = await movingAccount()
  const { onStep, reached, release } = stopAt('copy')
  const first = continueMove({ ...(await deps(0)), onStep }, move)
  await reached
  await expect(continueMove(await deps(1), move)).rejects.toThrow(MoveTaken)
  await expect(cancelMove(await deps(1), move)).rejects.toThrow(MoveTaken)
  release()
  expect(await first).toMatchObject({ step: 'finished' })
  expect(await accountsIn(account.id)).toEqual([0, 1])
})

test('a command that read the move before another command ended it changes nothing', async () => {
  const { account, move } = await movingAccount()
  await continueMove(await deps(0), move)
  await expect(continueMove(await deps(1), { ...move, step: 'copy' })).rejects.toThrow(/has just ended/)
  await expect(cancelMove(await deps(1), { ...move, step: 'copy' })).rejects.toThrow(/has just ended/)
  expect(await accountsIn(account.id)).toEqual([0, 1])
  const { accountId, username, source, target } = move
  await expect(beginMove(world.directory, { accountId, username, source, target })).rejects.toThrow(MoveTaken)
  expect((await world.api('GET', '/session', { auth: account.basic })).status).toBe(200)
})

test('a command that lost its lock stops before its next step, and does not cancel the move', async () => {
  const { account, move } = await movingAccount()
  const { onStep, reached, release } = stopAt('copy')
  const first = continueMove({ ...(await deps(0)), onStep }, move)
  await reached
  await endLocks()
  expect(await continueMove(await deps(1), move)).toMatchObject({ step: 'finished' })
  release()
  await expect(first).rejects.toThrow(/lost the connection/)
  expect(await accountsIn(account.id)).toEqual([0, 1])
})

test('a step is recorded only by a command that knows the present step', async () => {
  const { account, move } = await movingAccount()
  const stopped = { ...(await deps(0)), onStep: interruptAt('fence') }
  await expect(continueMove(stopped, move)).rejects.toThrow(Interrupted)
  await expect(recordStep(world.directory, { ...move, step: 'copy' }, 'switch')).rejects.toThrow(MoveTaken)
  expect(await findMove(world.directory, account.username)).toMatchObject({ step: 'fence' })
  await cancelMove(await deps(0), move)
})

/** Ends the connections that have an advisory lock in the directory, and waits until they have ended. */
async function endLocks(): Promise<void> {
  const { connectionString: url = '' } = world.directory.options
  const client = databaseClient({ url })
  await client.connect()
  await client.query(
    `SELECT pg_terminate_backend(pid, 60000) FROM pg_locks WHERE locktype = 'advisory'
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  await client.end()
}
