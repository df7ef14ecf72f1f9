import { deviceHealth } from '@smsgw/contract/devices/device-health'
import type { AgentEvent } from '@smsgw/contract/link/event'
import { healthOf } from '@smsgw/contract/relay/health'
import { webhookPayloads } from '@smsgw/contract/webhooks/webhook-event'
import type { ReadEvent } from '@smsgw/link/events/event-inbox'
import { beforeEach, describe, expect, test } from 'vitest'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import { type DispatchWorld, dispatchWorld } from '../link/testing/dispatch-world.ts'
import { someoneWaits } from '../testing/someone-waits.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import type { EventBatch } from './event-recorder.ts'
import { recordBatches } from './record-batches.ts'
import { recordEvents } from './record-events.ts'

const store = useTestDatabase()
let world: DispatchWorld
let connection: AgentConnection

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  connection = (await world.connect()).connection
})

const at = '2026-03-01T19:00:00.000+07:00'
const send = { cmdId: 'm/0', at }
const HEALTH = deviceHealth({
  version: '1.2.3',
  simStates: ['ready'],
  queue: { waiting: 0, inDoubt: 1 },
  journal: { sizeBytes: 0, fsyncMs: 3 },
  disk: { status: 'pass', freeBytes: 8_589_934_592 },
})

function batch(from: number, ...events: readonly (AgentEvent | { readonly problem: string })[]): EventBatch {
  const read = events.map((event): ReadEvent => ('problem' in event ? event : { event }))
  return { connection, from, skipped: 0, tag: `tag ${from + events.length - 1}`, events: read }
}

async function record(...batches: EventBatch[]) {
  const recorded = await recordEvents(store.database, batches, world.now)
  return recorded.map((one) => (one.status === 'fulfilled' ? one.value.result : one.reason))
}

const journal = () =>
  store.database.deviceJournal.findUniqueOrThrow({
    where: { deviceId_journalId: { deviceId: 'device', journalId: 'journal' } },
  })
const logs = async () =>
  (await store.database.logEntry.findMany({ orderBy: { id: 'asc' } })).map(({ message }) => message)

describe('a batch of events', () => {
  test('a batch of events is stored together with the mark, and a repeat is only acknowledged', async () => {
    for (const event of ['sms:sent', 'sms:delivered']) await world.webhook(event)
    await world.message('m', { journal: 'journal' })
    const reported = batch(
      1,
      { kind: 'processed', ...send },
      { kind: 'part-submitted', ...send, part: 1, parts: 1, reference: 7, result: 'accepted', simNumber: 2 },
      { kind: 'sent', ...send, simNumber: 2, sender: '+491', parts: 1 },
      { kind: 'part-reported', ...send, part: 1, status: 0, words: 'delivered' },
      { kind: 'delivered', ...send, simNumber: 2 },
    )
    for (let time = 0; time < 3; time += 1) expect(await record(reported)).toEqual([{ kind: 'stored', mark: 5 }])
    expect(await journal()).toMatchObject({ mark: 5n, markTag: 'tag 5' })
    expect(await world.recipient('m/0')).toMatchObject({ state: 'Delivered', usedSimNumber: 2, senderNumber: '+491' })
    expect(await store.database.part.findMany()).toEqual([
      {
        cmdId: 'm/0',
        index: 1,
        reference: 7,
        result: 'accepted',
        resultCode: null,
        resultWords: null,
        resultAdvice: null,
        submittedAt: new Date(at),
        reportStatus: 0,
        reportText: 'delivered',
        reportedAt: new Date(at),
      },
    ])
    expect(await world.outbox()).toEqual(['sms:sent m', 'sms:delivered m'])
    const [sent] = await store.database.webhookDelivery.findMany({ where: { event: 'sms:sent' } })
    expect(sent?.payload).toMatchObject({ sentAt: '2026-03-01T19:00:00.000+07:00', sender: '+491', simNumber: 2 })
  })

  test('a batch of events that overlaps stored events adds only the new events, and the mark never decreases', async () => {
    const line = (message: string) => ({ kind: 'logged', at, module: 'modem', priority: 'INFO', message }) as const
    await record(batch(1, line('one'), line('two')))
    expect(await record(batch(2, line('two'), line('three')))).toEqual([{ kind: 'stored', mark: 3 }])
    expect(await record(batch(1, line('one')))).toEqual([{ kind: 'stored', mark: 3 }])
    expect(await logs()).toEqual(['one', 'two', 'three'])
    expect(await journal()).toMatchObject({ mark: 3n, markTag: 'tag 3' })
  })

  test('a batch of events after a gap is refused with the mark, unless the device reports that the missing events no longer exist', async () => {
    await record(batch(1, { problem: 'x' }))
    expect(await record(batch(4, { problem: 'y' }))).toEqual([{ kind: 'gap', mark: 1 }])
    expect((await journal()).mark).toBe(1n)
    expect(await record({ ...batch(4, { problem: 'y' }), skipped: 2 })).toEqual([{ kind: 'stored', mark: 4 }])
    expect(await logs()).toContain(
      'the device lost events before the relay stored them: message states may be out of date',
    )
  })

  test('a batch of events of a superseded connection stores nothing and is not acknowledged', async () => {
    await world.message('m', { journal: 'journal' })
    await world.connect({ relayId: 'elsewhere' })
    expect(await record(batch(1, { kind: 'processed', ...send }))).toEqual([{ kind: 'fenced' }])
    expect((await world.recipient('m/0')).state).toBe('Pending')
    expect((await journal()).mark).toBe(0n)
  })

  test('a batch of events is final before a newer connection reads the mark', async () => {
    const { opening } = await store.database.$transaction(async (statements) => {
      await recordBatches(statements, [batch(1, { problem: 'x' })], world.now)
      const opening = world.connect({ relayId: 'elsewhere' })
      await Promise.race([opening, someoneWaits(store.database)])
      return { opening }
    })
    expect((await opening).mark).toBe(1)
  })

  test('a batch of events that arrives twice at the same time is stored once', async () => {
    const reported = batch(1, { kind: 'logged', at, module: 'modem', priority: 'INFO', message: 'once' })
    const { again } = await store.database.$transaction(async (statements) => {
      await recordBatches(statements, [reported], world.now)
      const again = record(reported)
      await Promise.race([again, someoneWaits(store.database)])
      return { again }
    })
    expect(await again).toEqual([{ kind: 'stored', mark: 1 }])
    expect(await logs()).toEqual(['once'])
  })

  test('a batch of events of several devices is stored in one transaction, with a result for each', async () => {
    await world.device('other')
    await world.device('left behind')
    const other = (await world.connect({ deviceId: 'other' })).connection
    const old = (await world.connect({ deviceId: 'left behind' })).connection
    await world.connect({ deviceId: 'left behind' })
    await world.message('m', { journal: 'journal' })
    await world.message('n', { deviceId: 'other', journal: 'journal' })
    const processed = { kind: 'processed', ...send } as const
    const ofOther = { ...batch(1, { ...processed, cmdId: 'n/0' }), connection: other }
    const results = await record(ofOther, { ...batch(1, processed), connection: old }, batch(1, processed))
    expect(results).toEqual([{ kind: 'stored', mark: 1 }, { kind: 'fenced' }, { kind: 'stored', mark: 1 }])
    expect([await world.messageState('m'), await world.messageState('n')]).toEqual(['Processed', 'Processed'])
  })
})

describe('an event', () => {
  test('an event for a send of another device, or an unknown send, is logged and skipped', async () => {
    await world.device('other')
    await world.message('m', { deviceId: 'other', journal: 'journal' })
    await world.message('n', { journal: 'journal' })
    const part = { kind: 'part-reported', ...send, part: 1, status: 0, words: '' } as const
    const result = await record(
      batch(
        1,
        { kind: 'processed', ...send },
        part,
        { ...part, cmdId: 'nowhere' },
        { kind: 'processed', at, cmdId: 'n/0' },
      ),
    )
    expect(result).toEqual([{ kind: 'stored', mark: 4 }])
    expect(await logs()).toHaveLength(3)
    expect(await store.database.part.count()).toBe(0)
    expect(await world.messageState('m')).toBe('Pending')
    expect(await world.messageState('n')).toBe('Processed')
  })

  test('an event for a send that was dispatched to an earlier journal of the device is stored', async () => {
    await world.message('m', { journal: 'journal' })
    connection = (await world.connect({ journalId: 'next' })).connection
    await record(batch(1, { kind: 'sent', ...send, simNumber: 1, parts: 1 }))
    expect(await world.recipient('m/0')).toMatchObject({ state: 'Sent', error: null })
  })

  test('an unreadable event in a batch is skipped and logged without its content', async () => {
    await world.message('m', { journal: 'journal' })
    await record(batch(1, { problem: 'kind: is unknown' }, { kind: 'processed', ...send }))
    expect(await logs()).toEqual(['skipped an unreadable event of the device: kind: is unknown'])
    expect(await world.messageState('m')).toBe('Processed')
  })

  test('an event with an impossible time is stored with the present time in the zone of the device', async () => {
    await world.webhook('sms:sent')
    for (const [id, wrong] of [
      ['past', '1970-01-01T01:00:00.000+01:00'],
      ['zero', '0000-01-01T00:00:00.000+01:00'],
      ['future', '2126-03-01T12:00:00.000+01:00'],
    ] as const) {
      await world.message(id, { journal: 'journal' })
      await record(
        batch(Number((await journal()).mark) + 1, {
          kind: 'sent',
          cmdId: `${id}/0`,
          at: wrong,
          simNumber: 1,
          parts: 1,
        }),
      )
      expect((await world.recipient(`${id}/0`)).sentAt).toEqual(world.now)
    }
    const [row] = await store.database.webhookDelivery.findMany()
    expect(row?.payload).toMatchObject({ sentAt: '2026-03-01T13:00:00.000+01:00' })
  })

  test('an event that reports parts in any order, or repeatedly, keeps the best known outcome of each part', async () => {
    await world.message('m', { journal: 'journal' })
    const submitted = { kind: 'part-submitted', ...send, parts: 2, simNumber: 1 } as const
    const reported = { kind: 'part-reported', ...send, status: 48, words: 'trying' } as const
    await record(batch(1, { ...submitted, part: 1, result: 'unknown', code: 'lost port' }, { ...reported, part: 2 }))
    await record(
      batch(
        3,
        { ...submitted, part: 1, result: 'accepted', reference: 9 },
        { ...submitted, part: 2, result: 'refused', code: 'CMS 38', words: 'Out of order.', advice: 'Wait.' },
        { ...submitted, part: 2, result: 'unknown' },
        { ...reported, part: 1, status: 0, words: 'delivered' },
        { ...submitted, part: 1, result: 'unknown' },
      ),
    )
    expect(await store.database.part.findMany({ orderBy: { index: 'asc' } })).toMatchObject([
      { index: 1, result: 'accepted', reference: 9, resultCode: 'lost port', reportStatus: 0 },
      { index: 2, result: 'refused', reportStatus: 48, resultWords: 'Out of order.', resultAdvice: 'Wait.' },
    ])
    expect(await world.recipient('m/0')).toMatchObject({ state: 'Pending', partsCount: 2 })
  })

  test('an event about a failure or a waiting message keeps the reason, without characters that the database cannot store', async () => {
    await world.webhook('sms:failed')
    await world.message('m', { journal: 'journal' })
    const waiting = { kind: 'waiting', ...send, code: 'outcome_unknown', reason: 'no\u0000answer' } as const
    await record(batch(1, { kind: 'processed', ...send }, waiting))
    expect(await world.recipient('m/0')).toMatchObject({ state: 'Processed', error: 'outcome unknown: no\ufffdanswer' })
    await record(batch(3, { kind: 'failed', ...send, code: 'refused', reason: '\ud800', partsSent: 1, parts: 2 }))
    expect(await world.recipient('m/0')).toMatchObject({ state: 'Failed', error: 'partial 1/2: \ufffd' })
    expect(await world.outbox()).toEqual(['sms:failed m'])
  })

  test('an event about a cancel answers the cancel', async () => {
    for (const id of ['stopped', 'too late']) {
      await world.message(id, { journal: 'journal' })
      const data = { state: 'Cancelling', cancelRequestedAt: world.now } as const
      await store.database.recipient.update({ where: { cmdId: `${id}/0` }, data })
    }
    await record(
      batch(1, { kind: 'cancelled', at, cmdId: 'stopped/0' }, { kind: 'cancel-refused', at, cmdId: 'too late/0' }),
    )
    expect(await world.recipient('stopped/0')).toMatchObject({ state: 'Cancelled', cancelAnsweredAt: new Date(at) })
    expect(await world.recipient('too late/0')).toMatchObject({ state: 'Cancelling', cancelAnsweredAt: new Date(at) })
  })

  test('an event about a received message is stored once in the inbox and outbox, in the same transaction', async () => {
    await world.webhook('sms:received')
    const received = {
      kind: 'received',
      type: 'SMS',
      id: 'in',
      receivedAt: at,
      sender: '+1',
      simNumber: 1,
      text: 'hi',
      parts: 1,
    } as const
    await record(batch(1, received, received))
    await record(batch(3, received))
    expect(await store.database.inboxItem.findMany()).toMatchObject([{ id: 'in', text: 'hi', deviceId: 'device' }])
    expect(await world.outbox()).toEqual(['sms:received in'])
  })

  test.each<[what: string, reported: Record<string, unknown>, shown: object]>([
    ['unchanged', { ...HEALTH }, HEALTH],
    ['without members that a newer agent adds', { ...HEALTH, uptime: 1 }, HEALTH],
    ['as alive if an older agent reports something else', { modems: [], platform: 'linux' }, healthOf('unknown', {})],
  ])('an event about a ping is delivered to webhooks %s', async (_, reported, shown) => {
    await world.webhook('system:ping')
    await record(batch(1, { kind: 'pinged', at, health: reported }))
    const [ping] = await store.database.webhookDelivery.findMany()
    expect(webhookPayloads['system:ping'].parse(ping?.payload)).toEqual({ health: shown })
  })

  test('an event about a call is delivered to webhooks once', async () => {
    await world.webhook('call:received')
    const called = { kind: 'call-received', at, simNumber: 2, caller: '+447700900123' } as const
    await record(batch(1, called))
    await record(batch(1, called))
    await record(batch(2, { kind: 'call-received', at, simNumber: 2, recipient: '+447700900124' }))
    const deliveries = await store.database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })
    const payloads = deliveries.map(({ payload }) => webhookPayloads['call:received'].parse(payload))
    expect(payloads).toMatchObject([
      { caller: '+447700900123', recipient: null, simNumber: 2 },
      { caller: null, recipient: '+447700900124', simNumber: 2 },
    ])
  })

  test('an event about SIMs, a start, a ping, a log entry, a sweep or USSD is stored', async () => {
    for (const event of ['app:started', 'system:ping']) await world.webhook(event)
    const commands = ['sweep', 'ussd'].map((kind) => ({
      cmdId: kind,
      deviceId: 'device',
      accountId: 'account',
      command: { kind },
    }))
    await store.database.deviceCommand.createMany({ data: commands })
    const [result] = await recordEvents(
      store.database,
      [
        batch(
          1,
          { kind: 'started', at, agentVersion: '2', sims: [{ simNumber: 1, state: 'searching' }] },
          { kind: 'sims-changed', at, sims: [{ simNumber: 1, state: 'ready', signal: 50 }] },
          { kind: 'pinged', at, health: { status: 'pass' } },
          {
            kind: 'logged',
            at,
            module: 'modem',
            priority: 'ERROR',
            message: 'gone',
            context: { port: '/dev/ttyUSB0' },
          },
          { kind: 'swept', cmdId: 'sweep', at },
          { kind: 'ussd-answered', cmdId: 'ussd', at, outcome: 'answered', text: 'Balance', more: false },
          { kind: 'ussd-answered', cmdId: 'ussd', at, outcome: 'no-answer' },
        ),
      ],
      world.now,
    )
    expect(result).toMatchObject({ value: { answered: ['sweep', 'ussd'] } })
    expect(await store.database.simCard.findMany()).toMatchObject([{ state: 'ready', signal: 50 }])
    expect((await store.database.webhookDelivery.findMany()).map(({ event }) => event).sort()).toEqual([
      'app:started',
      'system:ping',
    ])
    expect(await store.database.logEntry.findMany()).toMatchObject([
      {
        module: 'modem',
        priority: 'ERROR',
        message: 'gone',
        context: { port: '/dev/ttyUSB0' },
        createdAt: new Date(at),
      },
    ])
    const ussd = await store.database.deviceCommand.findUnique({ where: { cmdId: 'ussd' } })
    expect(ussd).toMatchObject({ answeredAt: world.now, answer: { outcome: 'answered', text: 'Balance', more: false } })
  })
})

describe('an event that the database always rejects', () => {
  // Simulates a rejected event with a trigger, because the database rejects no known event.
  beforeEach(async () => {
    await store.database.$executeRawUnsafe(`CREATE OR REPLACE FUNCTION poison() RETURNS trigger AS $$
      BEGIN IF NEW.text = 'poison' THEN RAISE EXCEPTION USING ERRCODE = TG_ARGV[0]; END IF; RETURN NEW; END $$ LANGUAGE plpgsql`)
    await store.database.$executeRawUnsafe(`CREATE OR REPLACE TRIGGER poison BEFORE INSERT ON inbox
      FOR EACH ROW EXECUTE FUNCTION poison('22000')`)
  })

  const received = (id: string, text: string) =>
    ({ kind: 'received', type: 'SMS', id, receivedAt: at, sender: '+1', simNumber: 1, text, parts: 1 }) as const

  test('an event that the database always rejects is skipped and logged without its content, and all other events are stored', async () => {
    await world.device('other')
    const other = (await world.connect({ deviceId: 'other' })).connection
    const poisoned = batch(1, received('a', 'fine'), received('b', 'poison'), received('c', 'fine too'))
    const fine = { ...batch(1, received('d', 'elsewhere')), connection: other }
    expect(await record(poisoned, fine)).toEqual([
      { kind: 'stored', mark: 3 },
      { kind: 'stored', mark: 1 },
    ])
    expect((await store.database.inboxItem.findMany()).map(({ id }) => id).sort()).toEqual(['a', 'c', 'd'])
    expect(await logs()).toEqual([
      "skipped an unreadable event of the device: the database rejects this 'received' event",
    ])
    expect(await journal()).toMatchObject({ mark: 3n, markTag: 'tag 3' })
  })

  test('an event that the database always rejects is not confused with a failing database, which stores and acknowledges nothing', async () => {
    await store.database.$executeRawUnsafe(`CREATE OR REPLACE TRIGGER poison BEFORE INSERT ON inbox
      FOR EACH ROW EXECUTE FUNCTION poison('53100')`)
    const [outcome] = await record(batch(1, received('a', 'fine'), received('b', 'poison')))
    expect(outcome).toBeInstanceOf(Error)
    expect(await store.database.inboxItem.count()).toBe(0)
    expect((await journal()).mark).toBe(0n)
  })

  test('an event that the database always rejects is not confused with a locked row of one device, and the events of other devices are stored', async () => {
    await store.database.$executeRawUnsafe(`CREATE OR REPLACE TRIGGER poison BEFORE INSERT ON inbox
      FOR EACH ROW EXECUTE FUNCTION poison('55P03')`)
    await world.device('other')
    const other = (await world.connect({ deviceId: 'other' })).connection
    const fine = { ...batch(1, received('d', 'elsewhere')), connection: other }
    const [outcome, ...others] = await record(batch(1, received('b', 'poison')), fine)
    expect(outcome).toBeInstanceOf(Error)
    expect(others).toEqual([{ kind: 'stored', mark: 1 }])
  })
})
