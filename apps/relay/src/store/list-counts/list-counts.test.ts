import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { Dice } from '../../../fuzz/dice.ts'
import { deleteAccountRows } from '../../accounts/delete-account-rows-statement.ts'
import { deleteReceived } from '../../inbox/delete-received-statement.ts'
import { inboxRetention } from '../../inbox/inbox-retention-statement.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { deliveryRetention } from '../../webhooks/outbox/delivery-retention-statement.ts'
import { connectDatabase, limitedSocket } from '../database.ts'
import { addListChanges, areListCountsBehind, countList, lockListProgress } from './list-counts-statement.ts'
import { checkListCounts, updateListCounts } from './update-list-counts.ts'

const SEED = 20_261_129
const START = Date.parse('2026-02-27T00:00:00Z')
const TYPES = ['SMS', 'DATA_SMS', 'MMS'] as const
const STATES = ['waiting', 'delivered', 'failed', 'dropped'] as const
const DEVICES = ['d1', 'd2'] as const
const ACCOUNTS = ['a1', 'a2'] as const

const world = useTestDatabase({ connections: 10 })
let made = 0
let webhooks: bigint[] = []

beforeEach(async () => {
  await world.database.account.deleteMany()
  webhooks = []
  for (const id of ACCOUNTS) {
    await world.database.account.create({ data: { id, username: id, passwordHash: '' } })
    const webhook = { accountId: id, url: 'https://example.com', events: [], event: 'sms:received', secretSealed: '' }
    const { key } = await world.database.webhook.create({ data: { ...webhook, id: `w-${id}` }, select: { key: true } })
    webhooks.push(key)
  }
})

const at = (hours: number) => new Date(START + hours * 3_600_000)

async function receive(count: number, data: { accountId?: string; deviceId?: string; type?: string } = {}) {
  const item = { accountId: 'a1', deviceId: 'd1', type: 'SMS', sender: '+1', createdAt: at(made % 200), ...data }
  await world.database.inboxItem.createMany({
    data: Array.from({ length: count }, () => ({ ...item, id: `i${made++}`, storedAt: item.createdAt })),
  })
}

async function enqueue(count: number, which: number, state: string) {
  const accountId = ACCOUNTS[which] ?? 'a1'
  const delivery = { accountId, webhookKey: webhooks[which] ?? 0n, deviceId: 'd1', event: 'sms:received', payload: {} }
  await world.database.webhookDelivery.createMany({
    data: Array.from({ length: count }, () => ({ ...delivery, id: `d${made++}`, state, createdAt: at(made % 200) })),
  })
}

/** Compares every total with the number of rows. */
async function expectExact() {
  const { database } = world
  for (const owner of ACCOUNTS)
    for (const type of [undefined, ...TYPES])
      for (const deviceId of [undefined, ...DEVICES]) {
        const rows = await database.inboxItem.count({
          where: { accountId: owner, ...(type && { type }), ...(deviceId && { deviceId }) },
        })
        const kinds = type && [type]
        expect(await countList(database, { list: 'inbox', owner, deviceId, kinds }), `${owner} ${type}`).toBe(rows)
      }
  for (const webhookKey of webhooks)
    for (const kinds of [[...STATES], ...STATES.map((state) => [state])]) {
      const rows = await database.webhookDelivery.count({ where: { webhookKey, state: { in: kinds } } })
      expect(await countList(database, { list: 'deliveries', owner: String(webhookKey), kinds })).toBe(rows)
    }
}

async function check(): Promise<unknown[]> {
  const logged: unknown[] = []
  const log = { warn: (...line: unknown[]) => logged.push(line) }
  await checkListCounts({ database: world.database, url: world.url, log })
  return logged
}

/** Returns the number of sessions that wait for a lock. */
async function waitingSessions(): Promise<number> {
  const [found] = await world.database.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  return Number(found?.count)
}

/** Restores the state after the upgrade, in which no rows are counted. */
async function forgetCounts() {
  await world.database.listCountProgress.deleteMany()
  await world.database.listCountChange.deleteMany()
  await world.database.listCount.deleteMany()
}

test('totals are exact after any sequence of changes, retention and erasure, before and after the job', async () => {
  const dice = new Dice(SEED)
  const { database } = world
  await updateListCounts(world)
  const actions = [
    () =>
      receive(1 + dice.below(5), {
        accountId: dice.pick(ACCOUNTS),
        deviceId: dice.pick(DEVICES),
        type: dice.pick(TYPES),
      }),
    () => enqueue(1 + dice.below(5), dice.below(2), dice.pick(STATES)),
    () =>
      database.webhookDelivery.updateMany({
        where: { state: dice.pick(STATES), createdAt: { lt: at(dice.below(200)) } },
        data: { state: dice.pick(STATES) },
      }),
    () => database.inboxItem.updateMany({ where: { createdAt: { lt: at(20) } }, data: { type: dice.pick(TYPES) } }),
    () => inboxRetention.deleteOlder(database, dice.pick(ACCOUNTS), at(dice.below(60)), 3),
    () => deliveryRetention.deleteOlder(database, dice.pick(ACCOUNTS), at(dice.below(60)), 3),
    () => updateListCounts(world),
    () => addListChanges(database, 2),
  ]
  for (let round = 0; round < 80; round++) {
    await dice.pick(actions)()
    if (round % 8 === 7) await expectExact()
  }
  await deleteReceived(database, 0)
  await expectExact()
  for (const deleteRows of deleteAccountRows) while ((await deleteRows(database, 'a1')) > 0);
  await expectExact()
  await updateListCounts(world)
  await expectExact()
  expect(await check()).toEqual([])
})

test('totals are exact while transactions change rows and two relays count', async () => {
  const { database } = world
  await receive(20)
  await forgetCounts()
  const isDone = { value: false }
  const wrong: unknown[] = []
  const counting = [() => updateListCounts(world), async () => wrong.push(...(await check()))].map(async (count) => {
    while (!isDone.value) await count()
  })
  for (let round = 0; round < 20; round++) {
    await Promise.all([
      receive(3),
      enqueue(2, 0, 'waiting'),
      database.webhookDelivery.updateMany({ data: { state: 'failed' } }),
    ])
    await database.inboxItem.deleteMany({ where: { createdAt: { lt: at(round) } } })
  }
  await updateListCounts(world)
  await expectExact()
  isDone.value = true
  await Promise.all(counting)
  await expectExact()
  expect([...wrong, ...(await check())]).toEqual([])
})

test('rows that were stored before the counts existed are counted, and until then there is no total', async () => {
  const { database } = world
  await receive(7)
  await enqueue(4, 1, 'waiting')
  await forgetCounts()
  expect(await countList(database, { list: 'inbox', owner: 'a1' })).toBeUndefined()
  await receive(2)
  await updateListCounts(world)
  await expectExact()
})

test('rows are counted although this takes longer than a connection of the pool may be silent', async () => {
  await receive(3)
  await forgetCounts()
  const pool = connectDatabase({ url: world.url, connections: 1, socket: () => limitedSocket(3_000) })
  const blocker = new Client({ connectionString: world.url })
  await blocker.connect()
  try {
    await blocker.query('BEGIN; LOCK TABLE inbox IN ACCESS EXCLUSIVE MODE')
    const counting = updateListCounts({ database: pool, url: world.url })
    counting.catch(() => undefined)
    await sleep(5_000)
    await blocker.query('ROLLBACK')
    await counting
  } finally {
    await blocker.end()
    await pool.$disconnect()
  }
  await expectExact()
})

test('recorded changes do not pile up while existing rows cannot be counted', async () => {
  await forgetCounts()
  await receive(3)
  const url = new URL(world.url)
  url.pathname = '/no_such_database'
  await expect(updateListCounts({ database: world.database, url: url.href })).rejects.toThrow()
  expect(await world.database.listCountChange.count()).toBe(0)
  await updateListCounts(world)
  await expectExact()
})

test('the job is needed after each change, until it has run', async () => {
  const changes = [
    () => receive(1),
    () => enqueue(1, 0, 'waiting'),
    () => world.database.webhookDelivery.updateMany({ data: { state: 'delivered' } }),
    () => world.database.inboxItem.deleteMany(),
  ]
  for (const change of changes) {
    await updateListCounts(world)
    expect(await areListCountsBehind(world.database)).toBe(false)
    await change()
    expect(await areListCountsBehind(world.database)).toBe(true)
  }
})

test('the check corrects wrong counts, logs how many were wrong, and removes empty counts', async () => {
  const { database } = world
  await receive(5)
  await enqueue(3, 0, 'failed')
  await updateListCounts(world)
  await database.listCount.updateMany({ where: { list: 'inbox' }, data: { count: 99 } })
  await database.listCount.deleteMany({ where: { list: 'deliveries' } })
  expect(await check()).toHaveLength(2)
  await expectExact()
  expect(await check()).toEqual([])
  await database.inboxItem.deleteMany()
  await updateListCounts(world)
  await check()
  expect(await database.listCount.count({ where: { list: 'inbox' } })).toBe(0)
})

test('the check does not call rows wrong that another relay counts for the first time meanwhile', async () => {
  const { database } = world
  await receive(5)
  await enqueue(3, 0, 'failed')
  await forgetCounts()
  const checking = await database.$transaction(async (statements) => {
    await lockListProgress(statements, 'inbox')
    const started = { ended: check() }
    await expect.poll(waitingSessions).toBeGreaterThan(0)
    await statements.listCountProgress.updateMany({ data: { isCounted: true } })
    return started
  })
  expect(await checking.ended).toEqual([])
  await updateListCounts(world)
  await expectExact()
})

test('counting ends when the relay stops', async () => {
  const stopping = new AbortController()
  const { database, url } = world
  await database.$transaction(async (statements) => {
    // The counting waits for this lock for 5 s.
    await lockListProgress(statements, 'inbox')
    const counting = checkListCounts({ database, url, stopping: stopping.signal, log: { warn: () => undefined } })
    setTimeout(() => stopping.abort(), 500)
    const startedMs = performance.now()
    await expect(counting).rejects.toThrow()
    expect(performance.now() - startedMs).toBeLessThan(4_000)
  })
})
