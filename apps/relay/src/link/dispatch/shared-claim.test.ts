import { beforeEach, expect, test } from 'vitest'
import { acceptAndClaim } from '../../messages/accept/accept-messages.ts'
import { testMessage } from '../../messages/testing/new-message.ts'
import { connectDatabase } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import type { AgentConnection } from '../claim/agent-connection.ts'
import { type DispatchWorld, dispatchWorld } from '../testing/dispatch-world.ts'
import { claimCommands } from './claim-commands-statement.ts'
import { SharedClaim } from './shared-claim.ts'

const store = useTestDatabase({ connections: 4 })
let world: DispatchWorld
let connection: AgentConnection
const room = { sends: 10, urgentSends: 10, others: 10 }

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  connection = (await world.connect()).connection
})

function takenClaim() {
  const claim = new SharedClaim()
  const commands = claim.take((statements: RawStatements) => claimCommands(statements, connection, room, world.now))
  commands.catch(() => undefined)
  return { claim, commands }
}

function message(id: string) {
  return testMessage(id, { accountId: 'account', deviceId: 'device', createdAt: world.now })
}

test('stores a message and its dispatch in one commit, after messages that waited longer', async () => {
  await world.message('earlier')
  world.pass(1)
  const { claim, commands } = takenClaim()
  expect(await acceptAndClaim(store.database, [message('new')], 250, claim)).toEqual([
    { kind: 'accepted', isClaimed: true },
  ])
  expect(await commands).toMatchObject([{ messageId: 'earlier' }, { messageId: 'new' }])
  const [written] = await store.database.$queryRaw<object[]>`
    SELECT m.xmin = r.xmin AS "isOneCommit", r.dispatched_journal AS journal
    FROM messages m JOIN recipients r ON r.message_key = m.key WHERE m.id = 'new'`
  expect(written).toEqual({ isOneCommit: true, journal: 'journal' })
})

test('stores a message without its dispatch if a newer connection of the device exists', async () => {
  await world.connect({ bootId: 'another boot' })
  const { claim, commands } = takenClaim()
  expect(await acceptAndClaim(store.database, [message('m')], 250, claim)).toEqual([
    { kind: 'accepted', isClaimed: false },
  ])
  expect(await commands).toEqual([])
  expect(await store.database.recipient.count({ where: { dispatchedAt: null } })).toBe(1)
})

test('claims the waiting commands alone if the new message cannot be stored', async () => {
  await world.message('waiting')
  const { claim, commands } = takenClaim()
  const storing = claim.storeFirst(store.database, (statements) => statements.$queryRaw(Prisma.sql`SELECT 1 / 0`))
  await expect(storing).rejects.toMatchObject({ code: '22012' })
  expect(await commands).toMatchObject([{ messageId: 'waiting' }])
  expect((await world.recipient('waiting/0')).dispatchedJournal).toBe('journal')
})

test('the claim fails if it is unknown whether it was committed, so that the session reads the commands again', async () => {
  const { claim, commands } = takenClaim()
  const other = connectDatabase({ url: store.url, connections: 1 })
  const storing = claim.storeFirst(other, (statements) =>
    statements.$queryRaw(Prisma.sql`SELECT pg_terminate_backend(pg_backend_pid())`),
  )
  await expect(storing).rejects.toThrow()
  await expect(commands).rejects.toThrow()
  await other.$disconnect()
})
