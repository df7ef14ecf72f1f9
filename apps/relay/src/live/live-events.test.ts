// Tests that all events are delivered, whatever the order in which their transactions commit. Uses the tables without
// an HTTP server.
import { openLog } from '@smsgw/daemon/log/log'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Dice } from '../../fuzz/dice.ts'
import type { Database } from '../store/database.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { LiveEvents } from './live-events.ts'
import type { StoredLiveEvent } from './read-live-events-statement.ts'
import { readMissedEvents } from './read-live-events-statement.ts'

const world = useTestDatabase({ connections: 10 })
const open: LiveEvents[] = []
const clients: Client[] = []
const warned: string[] = []
beforeEach(async () => {
  for (const id of ['a1', 'a2']) await world.database.account.create({ data: { id, username: id, passwordHash: '' } })
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((live) => live.close()))
  await Promise.all(clients.splice(0).map((client) => client.end()))
  await world.database.account.deleteMany()
  await world.database.liveEvent.deleteMany()
  expect(warned).toEqual([])
})

/** Returns the live events of one relay and the number of its queries. */
function relay() {
  const requested = { times: 0 }
  const database = new Proxy(world.database, {
    get(target, name) {
      if (name === '$queryRaw') requested.times += 1
      const member = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  }) as Database
  const log = openLog('warn', { write: (line: string) => warned.push(line) })
  const live = new LiveEvents({ database, log, hints: { listen: () => () => undefined } })
  open.push(live)
  return { live, requested }
}

async function listen(live: LiveEvents, accountId = 'a1') {
  const received: StoredLiveEvent[] = []
  await live.prepare(accountId, async () =>
    live.listen({ accountId, deliver: (event) => received.push(event), end: () => undefined }),
  )
  return received
}

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: world.url })
  clients.push(client)
  await client.connect()
  return client
}

const insert = (client: Client, id: string, accountId = 'a1') =>
  client.query(
    `WITH m AS (INSERT INTO messages (account_id, id, device_id, created_at, text) VALUES ($2, $1, 'd', now(), 'x')
       RETURNING key)
     INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, due_at)
     SELECT $2 || $1, key, $2, 'd', 0, '+1', now() FROM m`,
    [id, accountId],
  )
const change = (client: Client, id: string, state = 'Sent') =>
  client.query(
    `WITH r AS (UPDATE recipients SET state = $2::message_state WHERE cmd_id = 'a1' || $1)
     UPDATE messages SET state = $2::message_state WHERE account_id = 'a1' AND id = $1`,
    [id, state],
  )
const idsOf = (received: readonly StoredLiveEvent[]) =>
  received.map(({ kind, data }) => `${kind} ${(data as { id: string }).id}`)
const until = (check: () => boolean | Promise<boolean>) =>
  vi.waitFor(async () => expect(await check()).toBe(true), { timeout: 90_000, interval: 5 })

test('delays a later event until an earlier transaction commits, and loses neither', async () => {
  const { live, requested } = relay()
  const received = await listen(live)
  const [first, second] = [await connect(), await connect()]
  await first.query('BEGIN')
  await insert(first, 'm1')
  await insert(second, 'm2')
  const before = requested.times
  await until(() => requested.times > before + 6)
  expect(received).toEqual([])
  await first.query('COMMIT')
  await until(() => received.length === 2)
  expect(idsOf(received)).toEqual(['message.created m1', 'message.created m2'])
})

test('a rolled-back transaction delays no event', async () => {
  const { live } = relay()
  const received = await listen(live)
  const [first, second] = [await connect(), await connect()]
  await first.query('BEGIN')
  await insert(first, 'm1')
  await insert(second, 'm2')
  await first.query('ROLLBACK')
  await until(() => received.length === 1)
  expect(idsOf(received)).toEqual(['message.created m2'])
})

test('a watch starts after all transactions that cannot see it have ended', async () => {
  const { live, requested } = relay()
  const writer = await connect()
  await writer.query('BEGIN')
  await insert(writer, 'm1')
  let isCommitted = false
  const begun = listen(live).then(() => isCommitted)
  await until(() => requested.times > 8)
  isCommitted = true
  await writer.query('COMMIT')
  // From now on, the client may read the present state, which includes the message.
  expect(await begun).toBe(true)
})

test('a second client does not start before the first client could start', async () => {
  const [one, other] = [relay(), relay()]
  const writer = await connect()
  await writer.query('BEGIN')
  await insert(writer, 'm1')
  let isCommitted = false
  const begun = [one, other].map(({ live }) => listen(live).then(() => isCommitted))
  await until(() => one.requested.times > 8 && other.requested.times > 8)
  isCommitted = true
  await writer.query('COMMIT')
  expect(await Promise.all(begun)).toEqual([true, true])
})

test('writes no events for an account without clients', async () => {
  const { live } = relay()
  const received = await listen(live)
  const writer = await connect()
  await insert(writer, 'theirs', 'a2')
  await insert(writer, 'ours')
  await until(() => received.length === 1)
  expect(await world.database.liveEvent.findMany({ select: { accountId: true } })).toEqual([{ accountId: 'a1' }])
})

test('concurrent transactions lose no event, on two relays and for a client that reconnects', async () => {
  const dice = new Dice(20_261_121)
  const [here, there] = [relay(), relay()]
  const [receivedHere, receivedThere] = [await listen(here.live), await listen(there.live)]
  const cameBackFrom = here.live.place
  const expected = new Set<string>()
  const writers = await Promise.all(Array.from({ length: 8 }, connect))
  await Promise.all(
    writers.map(async (writer, number) => {
      for (let turn = 0; turn < 15; turn++) {
        const id = `w${number}t${turn}`
        await writer.query('BEGIN')
        await insert(writer, id)
        if (dice.once(2)) await writer.query(`SELECT pg_sleep(${dice.below(20) / 1000})`)
        if (dice.once(4)) {
          await writer.query('ROLLBACK')
          continue
        }
        await writer.query('COMMIT')
        await change(writer, id)
        expected.add(`message.created ${id}`).add(`message.changed ${id}`)
      }
    }),
  )
  for (const received of [receivedHere, receivedThere]) {
    await until(() => received.length === expected.size)
    expect(new Set(idsOf(received))).toEqual(expected)
    for (const [place, name] of idsOf(received).entries())
      if (name.startsWith('message.changed'))
        expect(idsOf(received).indexOf(name.replace('changed', 'created'))).toBeLessThan(place)
  }
  expect(idsOf(receivedHere)).toEqual(idsOf(receivedThere))
  const span = { after: cameBackFrom, upTo: there.live.place }
  expect(idsOf(await readMissedEvents(world.database, 'a1', span, 1_000))).toEqual(idsOf(receivedHere))
})

test('reports each change with its kind, and no other changes', async () => {
  const { live } = relay()
  const { database } = world
  const received = await listen(live)
  const accountId = 'a1'
  const device = { id: 'd1', accountId, name: 'attic' }
  const soFar = async (...expected: readonly (readonly [string, object])[]) => {
    await until(() => received.length >= expected.length)
    // Makes one more change and waits for its event. The events of earlier changes arrive before this one.
    await database.account.update({ where: { id: accountId }, data: { settingsVersion: { increment: 1 } } })
    await until(() => received.at(-1)?.kind === 'settings.changed')
    expect(received.splice(0).map(({ kind, data }) => [kind, data])).toEqual([...expected, ['settings.changed', {}]])
  }
  await database.device.create({ data: device })
  await database.device.update({ where: { id: 'd1' }, data: { lastSeen: new Date(), leaseUntil: new Date() } })
  await database.device.update({ where: { id: 'd1' }, data: { connEpoch: 2, relayId: 'r' } })
  await soFar(['device.changed', { id: 'd1' }], ['device.changed', { id: 'd1' }])

  await database.simCard.create({ data: { deviceId: 'd1', simNumber: 1, state: 'ready' } })
  await database.telemetry.create({ data: { deviceId: 'd1', at: new Date(), sample: {} } })
  await soFar(['device.changed', { id: 'd1' }], ['device.telemetry', { id: 'd1' }])

  const item = { accountId, id: 'i1', deviceId: 'd1', type: 'SMS', sender: '+1', createdAt: new Date(), text: 'x' }
  await database.inboxItem.create({ data: item })
  await soFar(['inbox.received', { id: 'i1', sender: '+1', type: 'SMS' }])
  await database.inboxItem.updateMany({ where: { id: 'i1' }, data: { isUnread: false } })
  await soFar(['conversation.changed', { number: '+1' }])
  await database.inboxItem.updateMany({ where: { id: 'i1' }, data: { text: 'xy', isPartial: false } })
  await soFar(['inbox.received', { id: 'i1', sender: '+1', type: 'SMS' }])

  const label = { id: 'l1', accountId, name: 'Urgent', color: 'red' }
  await database.label.create({ data: label })
  await database.conversationState.create({ data: { accountId, number: '+1' } })
  await database.conversationLabel.create({ data: { accountId, number: '+1', labelId: 'l1' } })
  await database.conversationNote.create({ data: { id: 'n1', accountId, number: '+1', text: 'x', author: 'a' } })
  const changed = ['conversation.changed', { number: '+1' }] as const
  await soFar(['labels.changed', {}], changed, changed, changed)
  // Deleting a label causes one event, even if many conversations have the label.
  await database.label.delete({ where: { id: 'l1' } })
  await soFar(['labels.changed', {}])

  const { key } = await database.webhook.create({
    data: { accountId, id: 'w1', url: 'https://x.example', event: 'sms:sent', secretSealed: '' },
  })
  await database.webhook.update({ where: { key }, data: { servedBy: 7, failingSince: new Date() } })
  await database.webhook.update({ where: { key }, data: { disabledAt: new Date() } })
  await soFar(['webhook.changed', { id: 'w1' }], ['webhook.changed', { id: 'w1' }])

  const delivery = await database.webhookDelivery.create({
    data: { id: 'e1', webhookKey: key, accountId, deviceId: 'd1', event: 'sms:sent', payload: {}, state: 'delivered' },
  })
  await database.webhookAttempt.create({
    data: { deliveryKey: delivery.key, number: 1, startedAt: new Date(), durationMs: 1, status: 200 },
  })
  await soFar(['webhook.attempted', { webhookId: 'w1', deliveryId: 'e1', state: 'delivered' }])
  await database.webhook.delete({ where: { key } })
  await soFar(['webhook.changed', { id: 'w1' }])

  const entry = await database.logEntry.create({ data: { accountId, module: 'm', priority: 'INFO', message: 'x' } })
  await soFar(['log.added', { id: entry.id, module: 'm', priority: 'INFO', message: 'x' }])

  const writer = await connect()
  await insert(writer, 'm1')
  await writer.query(`UPDATE recipients SET dispatched_at = now() WHERE cmd_id = 'a1m1'`)
  await change(writer, 'm1', 'Processed')
  await soFar(['message.created', { id: 'm1' }], ['message.changed', { id: 'm1', state: 'Processed' }])
})

test('a lost connection loses no event', async () => {
  const { live } = relay()
  const received = await listen(live)
  const writer = await connect()
  await insert(writer, 'm1')
  await until(() => received.length === 1)
  await writer.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'smsgw relay'`)
  await insert(writer, 'm2')
  await until(() => received.length === 2)
  expect(idsOf(received)).toEqual(['message.created m1', 'message.created m2'])
  warned.length = 0
})
