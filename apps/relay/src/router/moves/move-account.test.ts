import { expect, test } from 'vitest'
import { ScriptedAgent } from '../../link/testing/scripted-agent.ts'
import { databaseClient } from '../../store/connection/database-client.ts'
import { testReceiver } from '../../webhooks/testing/test-receiver.ts'
import { fillAccount } from '../testing/fill-account.ts'
import { interruptAt } from '../testing/interrupt-at.ts'
import { callsWithCredentials, useTestCells } from '../testing/test-cells.ts'
import { accountTables } from './account-tables.ts'
import { cancelMove, continueMove, Interrupted } from './move-account.ts'
import { type AccountMove, beginMove, findMove, type MoveStep } from './move-records.ts'

const world = useTestCells()

const [ONE, TWO] = [0, 1] as const
const STEPS = ['hold', 'drain', 'fence', 'copy', 'switch', 'clean'] as const

/** Creates an account in the first cell, and begins to move it to the second cell. */
async function movingAccount(): Promise<{
  readonly account: Awaited<ReturnType<typeof newAccount>>
  readonly move: AccountMove
}> {
  const account = await newAccount()
  return { account, move: await begin(account) }
}

async function newAccount() {
  const account = await world.relays[ONE].addAccount()
  // The router finds the account, so the directory has it.
  expect((await world.api('GET', '/session', { auth: account.basic })).status).toBe(200)
  return account
}

function begin({ id: accountId, username }: { readonly id: string; readonly username: string }): Promise<AccountMove> {
  return beginMove(world.directory, { accountId, username, source: 'one', target: 'two' })
}

const rowsAt = async (at: 0 | 1, accountId: string) => {
  const client = databaseClient({ url: world.relays[at].databaseUrl })
  await client.connect()
  const counts: Record<string, number> = {}
  for (const { name, rows } of accountTables) {
    const where = rows.replaceAll('$account', `'${accountId}'`)
    const found = await client.query<{ count: number }>(`SELECT count(*)::int FROM ${name} WHERE ${where}`)
    counts[name] = found.rows[0]?.count ?? 0
  }
  await client.end()
  return counts
}

test('each table of the database is copied, or listed with the tables that stay', async () => {
  const client = databaseClient({ url: world.relays[ONE].databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition`,
  )
  await client.end()
  const known = [...accountTables.map(({ name }) => name), ...TABLES_LEFT]
  expect(rows.map(({ name }) => name).toSorted()).toEqual(known.toSorted())
})

test('all rows of an account move, with new keys, and none of another account', async () => {
  const account = await newAccount()
  const [one, two] = world.relays
  await fillAccount(one.database, account.id)
  const before = await rowsAt(ONE, account.id)
  expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([])
  const moved = await continueMove(await world.deps(), await begin(account))
  expect(moved).toMatchObject({
    step: 'finished',
    rows: Object.values(before).reduce((sum, count) => sum + count, 0),
  })
  expect(await rowsAt(TWO, account.id)).toEqual(before)
  expect(Object.values(await rowsAt(ONE, account.id)).every((count) => count === 0)).toBe(true)
  const other = { where: { accountId: `${account.id}-other` } }
  expect([await one.database.message.count(other), await two.database.message.count(other)]).toEqual([1, 0])
  const unread = await two.database.inboxItem.findMany({ where: { accountId: account.id }, orderBy: { key: 'asc' } })
  expect(unread.map(({ isUnread }) => isUnread)).toEqual([true, false, true, false])
  const delivery = await two.database.webhookDelivery.findFirstOrThrow({
    where: { accountId: account.id, followsId: { not: null } },
    include: { webhook: true },
  })
  expect(delivery.followsWebhookKey).toBe(delivery.webhook.key)
  // The webhook that a user has paused stays paused.
  expect(delivery.webhook.heldSince).toEqual(new Date('2026-02-28T12:00:00Z'))
  const { json } = await world.api('GET', '/messages', { auth: account.basic })
  expect(json).toHaveLength(2)
  // The mark of messages of which some recipients failed has moved.
  const failed = await world.api('GET', '/messages?hasFailed=true', { auth: account.basic })
  expect(failed.json).toMatchObject([{ id: json[0].id }, { id: json[1].id }])
})

test('keys, tokens and sessions from before the move are valid after it, at every router', async () => {
  const { account, move } = await movingAccount()
  const calls = await callsWithCredentials(world.relays[ONE], account)
  const another = await world.addRouter()
  await continueMove(await world.deps(), move)
  for (const url of [world.router.url, another.url])
    for (const [kind, { auth, ...rest }] of Object.entries(calls)) {
      const headers = { ...('headers' in rest ? rest.headers : {}), ...(auth && { authorization: auth }) }
      const { status } = await fetch(`${url}/3rdparty/v1/session`, { headers })
      expect([kind, status]).toEqual([kind, 200])
    }
})

test('a move that is killed before each of its steps is finished by the next command', async () => {
  const { account, move } = await movingAccount()
  await fillAccount(world.relays[ONE].database, account.id)
  const before = await rowsAt(ONE, account.id)
  const deps = await world.deps()
  let present = move
  for (const step of STEPS) {
    await expect(continueMove({ ...deps, onStep: interruptAt(step) }, present)).rejects.toThrow(Interrupted)
    present = await openMove(account.username)
    expect(present.step).toBe(step)
  }
  expect(await continueMove(deps, present)).toMatchObject({ step: 'finished' })
  expect(await rowsAt(TWO, account.id)).toEqual(before)
  expect(await world.relays[ONE].database.account.count({ where: { id: account.id } })).toBe(0)
})

test('each step may be repeated, as after a kill between the step and its record', async () => {
  const { account, move } = await movingAccount()
  await fillAccount(world.relays[ONE].database, account.id)
  const before = await rowsAt(ONE, account.id)
  const deps = await world.deps()
  let present = move
  for (const [at, step] of STEPS.entries()) {
    const result = continueMove({ ...deps, onStep: interruptAt(STEPS[at + 1]) }, present)
    if (step === 'clean') await result
    else await expect(result).rejects.toThrow(Interrupted)
    await world.directory.query('UPDATE moves SET step = $2, finished_at = NULL WHERE id = $1', [move.id, step])
    present = await openMove(account.username)
  }
  expect(await continueMove(deps, present)).toMatchObject({ step: 'finished' })
  expect(await rowsAt(TWO, account.id)).toEqual(before)
  expect((await world.api('GET', '/session', { auth: account.basic })).status).toBe(200)
})

async function openMove(username: string): Promise<AccountMove> {
  const found = await findMove(world.directory, username)
  if (found === undefined) throw new Error(`no move of ${username} is open`)
  return found
}

test('a stream of events ends when the move begins, and continues in the new cell', async () => {
  const { account, move } = await movingAccount()
  const open = () => fetch(`${world.router.url}/3rdparty/v1/events`, { headers: { authorization: account.basic } })
  const stream = await open()
  const ended = stream.text()
  await continueMove(await world.deps(), move)
  await ended
  const again = await open()
  expect(again.headers.get('content-type')).toMatch('text/event-stream')
  await again.body?.cancel()
})

test('an agent moves with its account: each message is sent once, and no event is lost', async () => {
  const { account, move } = await movingAccount()
  const { auth } = { auth: account.basic }
  const { json: code } = await world.api('POST', '/devices/codes', { auth })
  const agent = new ScriptedAgent({ url: world.router.url, identity: { credential: code.code } }).start()
  await agent.online()
  const send = (text: string) =>
    world.api('POST', '/messages', { auth, body: { phoneNumbers: ['+447400123456'], textMessage: { text } } })
  const { json: first } = await send('before the move')
  await agent.until(() => agent.commands.some(({ kind }) => kind === 'send'))
  await continueMove(await world.deps(), move)
  await agent.until(() => agent.phase === 'online' && agent.welcomes.length > 1)
  // The agent reports the message of the old cell to the new cell.
  const [command] = agent.commands.filter(({ kind }) => kind === 'send')
  if (command?.kind !== 'send') throw new Error('the agent got no message')
  const at = new Date().toISOString()
  agent.tell({ kind: 'processed', cmdId: command.cmdId, at })
  await expect
    .poll(async () => (await world.api('GET', `/messages/${first.id}`, { auth })).json.state, { timeout: 60_000 })
    .toBe('Processed')
  await send('after the move')
  await agent.until(() => agent.commands.filter(({ kind }) => kind === 'send').length === 2)
  expect(agent.ended).toEqual(['goodbye'])
  agent.stop()
})

test('webhooks wait during the move and are sent once, by the new cell', async () => {
  const { account, move } = await movingAccount()
  const receiver = await testReceiver()
  const [one, two] = world.relays
  const body = { id: 'hook', url: receiver.url, event: 'sms:sent' }
  expect((await world.api('POST', '/webhooks', { auth: account.basic, body })).status).toBe(201)
  const { key } = await one.database.webhook.findFirstOrThrow({ where: { accountId: account.id } })
  const payload = { messageId: 'm', phoneNumber: '+447400123456', simNumber: 1, partsCount: 1, sentAt: new Date() }
  const onStep = async ({ step }: AccountMove) => {
    if (step !== 'drain') return
    await one.database.webhookDelivery.create({
      data: { id: 'd', webhookKey: key, accountId: account.id, deviceId: 'x', event: 'sms:sent', payload },
    })
  }
  await continueMove({ ...(await world.deps()), onStep }, move)
  await expect
    .poll(() => two.database.webhookDelivery.count({ where: { accountId: account.id, state: 'delivered' } }), {
      timeout: 60_000,
    })
    .toBe(1)
  expect(receiver.requests).toHaveLength(1)
  await receiver.close()
})

test('a move that fails before the copy is recorded leaves the account in its cell', async () => {
  const { account, move } = await movingAccount()
  const deps = await world.deps()
  const onStep = ({ step }: AccountMove) => {
    if (step === 'copy') throw new Error('the disk is full')
  }
  await expect(continueMove({ ...deps, onStep }, move)).rejects.toThrow('the disk is full')
  expect(await findMove(world.directory, account.username)).toBeUndefined()
  const { status } = await world.api('GET', '/session', { auth: account.basic })
  expect([status, await world.relays[ONE].database.account.count({ where: { id: account.id } })]).toEqual([200, 1])
})

test('a move can be cancelled until the copy is recorded, and not later', async () => {
  const { account, move } = await movingAccount()
  const deps = await world.deps()
  const until = (wanted: MoveStep) => ({ ...deps, onStep: interruptAt(wanted) })
  await expect(continueMove(until('copy'), move)).rejects.toThrow(Interrupted)
  expect(await cancelMove(deps, await openMove(account.username))).toMatchObject({ step: 'cancelled' })
  expect((await world.api('GET', '/session', { auth: account.basic })).status).toBe(200)
  await expect(continueMove(until('switch'), await begin(account))).rejects.toThrow(Interrupted)
  await expect(cancelMove(deps, await openMove(account.username))).rejects.toThrow(/already in the cell two/)
  await continueMove(deps, await openMove(account.username))
})

test('a router that has not reported for a long time ends a move, until --without-router removes its row', async () => {
  const { account, move } = await movingAccount()
  await world.directory.query(
    `INSERT INTO routers (id, seen, renewed_at) VALUES ('lost', 1, now() - interval '1 hour')`,
  )
  const deps = await world.deps()
  await expect(continueMove(deps, move)).rejects.toThrow(/--without-router=lost/)
  expect((await world.api('GET', '/session', { auth: account.basic })).status).toBe(200)
  await continueMove({ ...deps, withoutRouters: ['lost'] }, await begin(account))
  const { rowCount } = await world.directory.query(`SELECT FROM routers WHERE id = 'lost'`)
  expect(rowCount).toBe(0)
})

/**
 * The tables whose rows stay where they are. Jobs of the target compute the counts and the order of conversations. Live
 * events and notifications are for clients of the source, which sends its pending notifications. The other tables
 * belong to no account.
 */
const TABLES_LEFT = [
  'message_counts',
  'message_count_changes',
  'message_count_progress',
  'list_counts',
  'list_count_changes',
  'list_count_progress',
  'conversation_order',
  'conversation_order_queue',
  'conversation_order_progress',
  'live_accounts',
  'live_events',
  'push_notifications',
  'installation',
  'signing_keys',
  'relays',
  '_prisma_migrations',
]
