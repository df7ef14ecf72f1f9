import { mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { SendCommand } from '@smsgw/contract/link/command'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Change, Stamp } from './change.ts'
import { type OpenedJournal, openJournal } from './journal.ts'
import { oldestUsableBy, schemaVersion } from './schema.ts'

let folder: string
let opened: OpenedJournal[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-journal-'))
})

afterEach(async () => {
  await Promise.all(opened.map(({ journal }) => journal.close()))
  opened = []
  rmSync(folder, { recursive: true, force: true })
})

test('contains all writes after the journal is opened again', async () => {
  const { journal } = await open()
  await journal.write([
    { kind: 'command-received', command: command('c1'), at },
    { kind: 'command-planned', cmdId: 'c1', plan },
    { kind: 'part-committed', cmdId: 'c1', part: 1, attempt: 1, at, evidence: { lastReference: 7 } },
    { kind: 'note', name: 'slots', value: { 1: 'imei' } },
  ])
  await journal.close()
  const again = await open()
  const [record] = await again.journal.read('open-commands', {})
  expect(record).toMatchObject({ cmdId: 'c1', command: command('c1'), plan, received: at, outcome: undefined })
  expect(record?.attempts).toEqual([
    expect.objectContaining({ part: 1, attempt: 1, committed: at, evidence: { lastReference: 7 }, result: undefined }),
  ])
  expect(await again.journal.read('notes', {})).toEqual({ slots: { 1: 'imei' } })
  expect(again.marks.openCommands).toBe(1)
})

test('stores a repeated command once, and keeps its state', async () => {
  const { journal } = await open()
  await journal.write([{ kind: 'command-received', command: command('c1'), at }])
  await journal.write([{ kind: 'command-ended', cmdId: 'c1', at, outcome: 'sent' }])
  await journal.write([{ kind: 'command-received', command: command('c1'), at }])
  expect(await journal.read('open-commands', {})).toEqual([])
  expect((await journal.read('command', { cmdId: 'c1' }))?.outcome).toBe('sent')
})

test('passes requests to the thread together while the thread has work, and completes them in order', async () => {
  const { journal } = await open()
  const post = vi.spyOn(Worker.prototype, 'postMessage')
  const completed: number[] = []
  const write = async (value: number) => {
    await journal.write([{ kind: 'note', name: 'last', value }])
    completed.push(value)
  }
  const values = Array.from({ length: 20 }, (_, index) => index)
  await Promise.all(values.map(write))
  // One post for the work of the thread, one for its next work, and one for all other requests.
  expect(post).toHaveBeenCalledTimes(3)
  expect(completed).toEqual(values)
  expect(await journal.read('notes', {})).toEqual({ last: 19 })
  // After the answers, a request is passed on at once.
  post.mockClear()
  const written = write(20)
  await Promise.resolve()
  expect(post).toHaveBeenCalledTimes(1)
  await written
  post.mockRestore()
})

test('returns the received commands that it did not have, with or without a tombstone', async () => {
  const { journal } = await open()
  await journal.write([
    { kind: 'command-received', command: command('known'), at },
    { kind: 'tombstone', cmdId: 'cancelled', at },
  ])
  const received = ['known', 'new', 'cancelled', 'new'].map(
    (cmdId): Change => ({ kind: 'command-received', command: command(cmdId), at }),
  )
  expect(await journal.write(received)).toMatchObject({ fresh: ['new'] })
})

test('ends a command at once if its cancel arrived first', async () => {
  const { journal } = await open()
  await journal.write([{ kind: 'tombstone', cmdId: 'c1', at }])
  await journal.write([{ kind: 'command-received', command: command('c1'), at }])
  expect(await journal.read('open-commands', {})).toEqual([])
  expect(await journal.read('command', { cmdId: 'c1' })).toMatchObject({ outcome: 'cancelled', command: undefined })
})

test('accepts COMMIT and RESULT of an attempt in any order', async () => {
  const { journal } = await open()
  await journal.write([{ kind: 'command-received', command: command('c1'), at }])
  await journal.write([
    { kind: 'part-result', cmdId: 'c1', part: 1, attempt: 1, at, result: 'accepted', reference: 9, code: 'OK' },
  ])
  await journal.write([{ kind: 'part-committed', cmdId: 'c1', part: 1, attempt: 1, at, evidence: null }])
  const found = await journal.read('command', { cmdId: 'c1' })
  expect(found?.attempts[0]).toMatchObject({ committed: at, result: 'accepted', reference: 9, code: 'OK' })
})

test('finds a message by SIM, reference and number, however the number is written', async () => {
  const { journal } = await open()
  const sentBy = (cmdId: string, iccid: string, destination: string): Change[] => [
    { kind: 'command-received', command: command(cmdId), at },
    { kind: 'command-planned', cmdId, plan: { simNumber: 1, iccid, destination, requestsReport: true, parts: [] } },
    { kind: 'part-result', cmdId, part: 1, attempt: 1, at, result: 'accepted', reference: 9 },
  ]
  await journal.write([
    ...sentBy('sought', 'sim-1', '+44 7700 900123'),
    ...sentBy('by another SIM', 'sim-2', '+447700900123'),
    ...sentBy('to another', 'sim-1', '+447700900124'),
  ])
  const find = (reference: number) =>
    journal.read('commands-by-reference', { iccid: 'sim-1', reference, number: '07700900123' })
  expect((await find(9)).map(({ cmdId }) => cmdId)).toEqual(['sought'])
  expect(await find(8)).toEqual([])
})

test('numbers events in the order of writing, across restarts and acknowledgements', async () => {
  const { journal } = await open()
  expect(await journal.write([event('a'), event('b')])).toMatchObject({ seqs: [1, 2] })
  await journal.write([{ kind: 'mark-recorded', mark: 2, streamId: 's' }])
  await journal.forget({ nowMs: at.wallMs, recordsMs: -1 })
  await journal.close()
  const again = await open()
  expect(again.marks).toMatchObject({ first: 3, tail: 2, mark: 2, streamId: 's' })
  expect(await again.journal.write([event('c')])).toMatchObject({ seqs: [3] })
  expect(await again.journal.read('events', { after: 0, most: 10 })).toEqual([{ seq: 3, event: event('c').event }])
})

test('writes the changes of one call together or not at all, without affecting other calls', async () => {
  const { journal } = await open()
  const results = await Promise.allSettled([
    journal.write([event('a')]),
    journal.write([event('lost'), { kind: 'command-ended', cmdId: 'unheard of', at, outcome: 'sent' }]),
    journal.write([event('b')]),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const events = await journal.read('events', { after: 0, most: 10 })
  expect(events).toEqual([
    { seq: 1, event: event('a').event },
    { seq: 2, event: event('b').event },
  ])
})

test('returns the same events while they are new and after the journal was opened again', async () => {
  const { journal } = await open()
  await journal.write([event('a'), event('b')])
  await Promise.all([journal.write([event('c')]), journal.write([event('d')])])
  const fresh = await journal.eventTexts(2, 3)
  expect(fresh.events.map(({ text }) => JSON.parse(text))).toEqual(['b', 'c', 'd'].map((name) => event(name).event))
  await journal.close()
  const again = await open()
  expect(await again.journal.eventTexts(2, 3)).toEqual(fresh)
})

test('returns the events of its new number sequence after the journal was renounced', async () => {
  const { journal } = await open()
  await journal.write([event('a'), event('b'), event('c')])
  await journal.write([{ kind: 'journal-renounced', journalId: 'other', provenMark: 2 }])
  await journal.write([event('d')])
  const { events } = await journal.eventTexts(1, 2)
  expect(events.map(({ text }) => JSON.parse(text))).toEqual([event('c').event, event('d').event])
})

test('keeps the commands of a renounced journal, and renumbers events that the relay may not have', async () => {
  const { journal } = await open()
  await journal.write([{ kind: 'command-received', command: command('c1'), at }, event('a'), event('b')])
  const before = await journal.read('event-tag', { seq: 2 })
  await journal.write([{ kind: 'journal-renounced', journalId: 'other', provenMark: 1 }])
  expect(await journal.read('marks', {})).toMatchObject({
    journalId: 'other',
    replaces: 'journal-1',
    streamId: undefined,
    first: 1,
    tail: 1,
    mark: 0,
    openCommands: 1,
  })
  expect(await journal.read('events', { after: 0, most: 9 })).toEqual([{ seq: 1, event: event('b').event }])
  expect(await journal.read('event-tag', { seq: 1 })).not.toBe(before)
  expect(await journal.write([event('c')])).toMatchObject({ seqs: [2] })
})

test('reads events unchanged, from the first event on', async () => {
  const { journal } = await open()
  await journal.write([event('a'), event('b'), event('c')])
  const { from, events } = await journal.read('event-texts', { from: 2, most: 1 })
  expect({ from, texts: events.map(({ text }) => JSON.parse(text)) }).toEqual({ from: 2, texts: [event('b').event] })
  expect(events[0]?.tag).toBe(await journal.read('event-tag', { seq: 2 }))
})

test('keeps order, slot and result of incoming messages', async () => {
  const { journal } = await open()
  await journal.write([inbound('x', 3), inbound('a', 4)])
  await journal.write([inbound('x', 9), { kind: 'inbound-slot', pduId: 'x', slot: null }])
  await journal.write([{ kind: 'inbound-settled', pduId: 'x', as: 'emitted', detail: { id: 'm' } }])
  const records = await journal.read('inbound', { sinceMs: 0 })
  expect(records.map(({ pduId, slot, settled, detail }) => ({ pduId, slot, settled, detail }))).toEqual([
    { pduId: 'x', slot: undefined, settled: 'emitted', detail: { id: 'm' } },
    { pduId: 'a', slot: { memory: 'SM', index: 4 }, settled: undefined, detail: undefined },
  ])
})

test('removes only ended, settled or acknowledged records', async () => {
  const { journal } = await open()
  await journal.write([
    { kind: 'command-received', command: command('open'), at },
    { kind: 'command-received', command: command('ended'), at },
    { kind: 'command-ended', cmdId: 'ended', at, outcome: 'delivered' },
    inbound('on the SIM', 1),
    { kind: 'inbound-settled', pduId: 'on the SIM', as: 'emitted' },
    inbound('gone', 2),
    { kind: 'inbound-settled', pduId: 'gone', as: 'emitted' },
    { kind: 'inbound-slot', pduId: 'gone', slot: null },
    event('unacknowledged'),
  ])
  expect(await journal.forget({ nowMs: at.wallMs + 1, recordsMs: 0 })).toEqual({ commands: 1, inbound: 1, events: 0 })
  expect((await journal.read('open-commands', {})).map(({ cmdId }) => cmdId)).toEqual(['open'])
  expect((await journal.read('inbound', { sinceMs: 0 })).map(({ pduId }) => pduId)).toEqual(['on the SIM'])
})

test('renames a broken journal, reports it, and creates one with another id', async () => {
  const first = await open('first')
  await first.journal.write(Array.from({ length: 300 }, (_, at) => event(`event ${at}`)))
  await first.journal.close()
  scribble()
  const second = await open('second')
  expect(second.broken?.movedTo).toContain('journal.db.broken-')
  expect(second.marks.journalId).toBe('second')
  expect(second.marks.openCommands).toBe(0)
  expect(readdirSync(folder).some((name) => name.includes('.broken-'))).toBe(true)
})

test('does not change a journal of a newer agent', async () => {
  const newer = new DatabaseSync(join(folder, 'journal.db'))
  newer.exec('PRAGMA user_version = 99')
  newer.close()
  await expect(open()).rejects.toThrow('written by a newer agent')
  expect(readdirSync(folder).filter((name) => name.includes('broken'))).toEqual([])
})

test('opens a journal of a newer agent that only added to the format, and leaves its format', async () => {
  await (await open()).journal.close()
  const newer = new DatabaseSync(join(folder, 'journal.db'))
  newer.exec(`ALTER TABLE events ADD COLUMN added TEXT; PRAGMA user_version = ${schemaVersion + 1}`)
  newer.close()
  const { journal } = await open()
  expect(await journal.write([event('by the older agent')])).toMatchObject({ seqs: [1] })
  await journal.close()
  const after = new DatabaseSync(join(folder, 'journal.db'))
  expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: schemaVersion + 1 })
  after.close()
})

test('an upgraded journal names the oldest format whose agents can open it', async () => {
  await (await open()).journal.close()
  const older = new DatabaseSync(join(folder, 'journal.db'))
  older.exec('PRAGMA application_id = 0')
  older.close()
  await (await open()).journal.close()
  const after = new DatabaseSync(join(folder, 'journal.db'))
  expect(after.prepare('PRAGMA application_id').get()).toEqual({ application_id: oldestUsableBy })
  after.close()
})

test('rejects calls after it is closed', async () => {
  const { journal } = await open()
  await journal.close()
  await expect(journal.write([event('late')])).rejects.toThrow('the journal is closed')
})

test('before closing, completes calls that callers make after the results of earlier calls', async () => {
  const { journal } = await open()
  const follow = async () => {
    await journal.read('notes', {})
    await journal.write([event('first')])
    await journal.read('marks', {})
    return journal.write([event('second')], { mayWaitMs: 4 })
  }
  const followed = follow()
  await journal.close()
  expect(await followed).toMatchObject({ seqs: [2] })
})

test('closes even if a caller makes calls without an end', async () => {
  const { journal } = await open()
  let calls = 0
  const endless = (async () => {
    for (;;) {
      await journal.read('notes', {})
      calls += 1
    }
  })()
  const ended = expect(endless).rejects.toThrow('the journal is closed')
  await journal.close()
  await ended
  expect(calls).toBeGreaterThan(1)
})

test('writes nothing for a PDU that it has or that is written at the same time, without affecting other calls', async () => {
  const { journal } = await open()
  const unlessReceived = 'x'
  const writes = [
    journal.write([inbound('x', 1), event('a')], { unlessReceived }),
    journal.write([inbound('x', 2), event('lost')], { unlessReceived }),
    journal.write([event('b')]),
  ]
  expect((await Promise.all(writes)).map(({ seqs, wasReceived }) => [seqs, wasReceived])).toEqual([
    [[1], undefined],
    [[], true],
    [[2], undefined],
  ])
  expect((await journal.eventTexts(1, 2)).events).toHaveLength(2)
  await journal.close()
  const again = await open()
  const before = again.marks
  expect(await again.journal.write([inbound('x', 3), event('lost')], { unlessReceived })).toMatchObject({
    ...{ seqs: [], wasReceived: true },
  })
  expect(await again.journal.write([event('c')], { unlessReceived: 'y' })).toMatchObject({ seqs: [before.tail + 1] })
  expect((await again.journal.eventTexts(1, 3)).events).toHaveLength(3)
  expect(await again.journal.read('inbound', { sinceMs: 0 })).toMatchObject([{ pduId: 'x', slot: { index: 1 } }])
  expect(await again.journal.read('events', { after: 0, most: 10 })).toHaveLength(3)
})

test('writes simultaneous calls in one commit', async () => {
  const { journal, fsyncMs } = await open()
  expect(fsyncMs).toBeGreaterThan(0)
  const written = await Promise.all(Array.from({ length: 500 }, (_, at) => journal.write([event(`event ${at}`)])))
  expect(written.flatMap(({ seqs }) => seqs)).toEqual(Array.from({ length: 500 }, (_, at) => at + 1))
})

async function open(newJournalId = 'journal-1'): Promise<OpenedJournal> {
  const onLost = (error: Error) => expect.unreachable(error.message)
  const journal = await openJournal({ path: join(folder, 'journal.db'), newJournalId, onLost })
  opened.push(journal)
  return journal
}

function scribble(): void {
  const descriptor = openSync(join(folder, 'journal.db'), 'r+')
  for (let page = 2; page < 20; page += 1) writeSync(descriptor, Buffer.alloc(2000, 0x5a), 0, 2000, page * 4096)
}

const at: Stamp = { wallMs: 1_700_000_000_000, trusted: true, bootId: 'boot', monotonicMs: 5 }
const plan = {
  simNumber: 1,
  iccid: '8944',
  destination: '+447700900123',
  requestsReport: true,
  parts: [{ pdu: '0001', tpduLength: 1 }],
}

function command(cmdId: string): SendCommand {
  return {
    kind: 'send',
    cmdId,
    messageId: 'm',
    phoneNumber: '+447700900123',
    content: { text: 'hello' },
    isEncrypted: false,
    withDeliveryReport: true,
    priority: 0,
    acceptedAt: '2026-01-01T00:00:00.000Z',
    onUncertain: 'resolve',
  }
}

function event(message: string): Extract<Change, { kind: 'event' }> {
  return {
    kind: 'event',
    event: { kind: 'logged', at: '2026-01-01T00:00:00.000Z', module: 'test', priority: 'INFO', message },
  }
}

function inbound(pduId: string, index: number): Change {
  return {
    kind: 'inbound-received',
    pduId,
    iccid: '8944',
    simNumber: 1,
    pdu: '00',
    at,
    slot: { memory: 'SM', index },
  }
}
