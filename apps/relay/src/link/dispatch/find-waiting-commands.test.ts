import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { connectDatabase, type Database, type Statements } from '../../store/database.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { type DispatchWorld, dispatchWorld } from '../testing/dispatch-world.ts'
import { claimCommands } from './claim-commands-statement.ts'
import { findWaitingCommands, type WaitingDevice } from './find-waiting-commands-statement.ts'
import { readUnacknowledgedCommands } from './read-unacknowledged-statement.ts'

const store = useTestDatabase()
let world: DispatchWorld
let other: Database

beforeAll(() => {
  other = connectDatabase({ url: store.url, connections: 1 })
})
afterAll(() => other.$disconnect())
beforeEach(async () => {
  world = await dispatchWorld(store.database)
})

const plenty = { sends: 100, urgentSends: 100, others: 100 }
const mine = { deviceId: 'device', accountId: 'account' }
const find = async (...devices: WaitingDevice[]) => [
  ...(await findWaitingCommands(store.database, devices.length === 0 ? [mine] : devices, world.now)),
]

async function command(cmdId: string, about: object = {}): Promise<void> {
  const data = { cmdId, ...mine, command: { kind: 'sweep', cmdId }, ...about }
  await store.database.deviceCommand.create({ data })
}
const change = (cmdId: string, data: object) => store.database.recipient.update({ where: { cmdId }, data })
const cancelling = () => ({ state: 'Cancelling', cancelRequestedAt: world.now }) as const

test.each<[string, () => Promise<unknown>]>([
  ['a new message', () => world.message('m')],
  ['a message that was sent and not acknowledged', () => world.message('m', { journal: 'journal' })],
  [
    'a cancel that was not sent',
    async () => {
      await world.message('m', { journal: 'journal' })
      await change('m/0', { ...cancelling(), processedAt: world.now })
    },
  ],
  [
    'a cancel that was sent and not answered',
    async () => {
      await world.message('m', { journal: 'journal' })
      await change('m/0', { ...cancelling(), processedAt: world.now, cancelDispatchedAt: world.now })
    },
  ],
  ['another command', () => command('c')],
  [
    'a sweep that was sent and not answered',
    () => command('c', { dispatchedJournal: 'journal', dispatchedAt: world.now }),
  ],
  [
    'a sweep that was sent to an earlier journal',
    () => command('c', { dispatchedJournal: 'earlier', dispatchedAt: world.now }),
  ],
])('finds a device with %s', async (_, give) => {
  const { connection } = await world.connect()
  expect(await find()).toEqual([])
  await give()
  expect(await find()).toEqual(['device'])
  const commands = [
    ...(await readUnacknowledgedCommands(store.database, connection, world.now)),
    ...(await claimCommands(store.database, connection, plenty, world.now)),
  ]
  expect(commands.length).toBeGreaterThan(0)
})

test('does not find a device whose commands have ended', async () => {
  await world.connect()
  for (const id of ['processed', 'sent', 'cancelled']) await world.message(id, { journal: 'journal' })
  await change('processed/0', { state: 'Processed', processedAt: world.now })
  await change('sent/0', { state: 'Sent' })
  await change('cancelled/0', { ...cancelling(), state: 'Cancelled', cancelAnsweredAt: world.now })
  await command('answered', { answeredAt: world.now })
  await command('expired', { expiresAt: world.now })
  expect(await find()).toEqual([])
})

test('finds each device for itself, and none of another account', async () => {
  await world.account('other')
  for (const id of ['second', 'third']) await world.device(id)
  await world.message('m', { deviceId: 'second' })
  const devices = ['device', 'second', 'third'].map((deviceId) => ({ deviceId, accountId: 'account' }))
  expect(await find(...devices)).toEqual(['second'])
  expect(await find({ deviceId: 'second', accountId: 'other' })).toEqual([])
})

test('reads few rows, whatever other devices have', async () => {
  const OTHERS = 20_000
  const { database } = store
  await database.$executeRaw`
    INSERT INTO devices (id, account_id, name) SELECT 'busy' || n, 'account', '' FROM generate_series(1, 200) n`
  await database.$executeRaw`
    INSERT INTO messages (account_id, id, device_id, created_at) SELECT 'account', 'm' || n, 'busy1', now() FROM generate_series(1, 10) n`
  await database.$executeRaw`
    INSERT INTO recipients (cmd_id, account_id, device_id, message_key, position, phone_number, due_at, not_before,
      state, cancel_requested_at)
    SELECT 'r' || n, 'account', 'busy' || (1 + n % 200), (SELECT min(key) FROM messages), n, '+491', now(), now(),
      'Cancelling', now()
    FROM generate_series(1, ${OTHERS}::int) n`
  await database.$executeRaw`
    INSERT INTO device_commands (cmd_id, account_id, device_id, command)
    SELECT 'c' || n, 'account', 'busy' || (1 + n % 200), '{"kind":"sweep"}' FROM generate_series(1, ${OTHERS}::int) n`
  await database.$executeRaw`ANALYZE`
  const idle = Array.from({ length: 1_000 }, (_, number) => ({ deviceId: `idle${number}`, accountId: 'account' }))
  const busy = Array.from({ length: 20 }, (_, number) => ({ deviceId: `busy${number + 1}`, accountId: 'account' }))
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    const rows = await other.$transaction(async (statements) => {
      await statements.$executeRawUnsafe(`SET LOCAL plan_cache_mode = ${mode}`)
      const before = await rowsRead(statements)
      expect((await findWaitingCommands(statements, [...idle, ...busy], world.now)).size).toBe(busy.length)
      return (await rowsRead(statements)) - before
    })
    expect(rows).toBeLessThan(OTHERS / 20)
  }
})

/** Counts the rows and index entries that the transaction has read so far. */
async function rowsRead(statements: Statements): Promise<number> {
  const [read] = await statements.$queryRaw<{ count: number }[]>`
    SELECT sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::int AS count
    FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace`
  return read?.count ?? 0
}
