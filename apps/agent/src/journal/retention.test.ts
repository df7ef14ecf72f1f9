import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import type { SendCommand } from '@smsgw/contract/link/command'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Change, Stamp } from './change.ts'
import { type Journal, openJournal } from './journal.ts'
import type { RetentionLimits } from './retention.ts'

const at: Stamp = { wallMs: 1_800_000_000_000, trusted: true, bootId: 'b', monotonicMs: 1 }
const time = '2027-01-15T08:00:00Z'
const [outboundText, inboundText, ussdText] = ['your code is 736251', 'their code is 918273', 'your PIN is 4455']
const pdus = ['0011000B9144', '07911326040000F0040B91']
const secrets = [outboundText, inboundText, ussdText, ...pdus]
const day = 24 * 60 * 60_000
const everything: RetentionLimits = { nowMs: undefined, recordsMs: 8 * day, contentMs: 0 }
const nothing: RetentionLimits = { nowMs: undefined, recordsMs: 8 * day }

let folder: string
let journal: Journal

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-content-'))
  await open()
})

afterEach(async () => {
  await journal.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(): Promise<void> {
  const path = join(folder, 'journal.db')
  journal = (await openJournal({ path, newJournalId: 'j', memory: undefined, onLost: () => expect.unreachable() }))
    .journal
}

const command: SendCommand = {
  kind: 'send',
  cmdId: 'c1',
  messageId: 'm1',
  phoneNumber: '+447400123456',
  content: { text: outboundText },
  isEncrypted: false,
  withDeliveryReport: true,
  priority: 0,
  acceptedAt: time,
  onUncertain: 'resolve',
}

const plan = {
  simNumber: 1,
  iccid: 'i',
  destination: '+447400123456',
  requestsReport: true,
  parts: [{ pdu: pdus[0] ?? '', tpduLength: 5 }],
}

const begun: readonly Change[] = [
  { kind: 'command-received', command, at },
  { kind: 'command-planned', cmdId: 'c1', plan },
  { kind: 'part-committed', cmdId: 'c1', part: 1, attempt: 1, at, evidence: null },
  { kind: 'inbound-received', pduId: 'p1', iccid: 'i', simNumber: 1, pdu: pdus[1] ?? '', at },
]

const ended: readonly Change[] = [
  { kind: 'part-result', cmdId: 'c1', part: 1, attempt: 1, at, result: 'accepted', reference: 7 },
  { kind: 'command-ended', cmdId: 'c1', at, outcome: 'sent' },
  { kind: 'inbound-settled', pduId: 'p1', as: 'emitted' },
  { kind: 'inbound-forgotten', pduId: 'p1' },
  { kind: 'event', event: { kind: 'sent', cmdId: 'c1', at: time, simNumber: 1, parts: 1 } },
  {
    kind: 'event',
    event: {
      kind: 'received',
      type: 'SMS',
      id: 'p1',
      receivedAt: time,
      sender: '+447400654321',
      simNumber: 1,
      text: inboundText,
      parts: 1,
    },
  },
  { kind: 'event', event: { kind: 'ussd-answered', cmdId: 'u1', at: time, outcome: 'answered', text: ussdText } },
]

/**
 * Returns the secrets that a file of the folder contains. The files are the database, its write-ahead log, and a
 * backup.
 */
function found(): string[] {
  const bytes = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'))
  return secrets.filter((secret) => bytes.some((each) => each.includes(secret)))
}

async function backUp(): Promise<void> {
  const database = new DatabaseSync(join(folder, 'journal.db'), { readOnly: true })
  await backup(database, join(folder, 'backup.db'))
  database.close()
}

test('leaves no content of a finished message in the files when the relay has its events and requests the removal', async () => {
  await journal.write(begun)
  expect(found()).toEqual([outboundText, ...pdus])
  await journal.write(ended)
  await journal.write([{ kind: 'mark-recorded', mark: 3, streamId: 's' }])
  await journal.forget(everything)
  await backUp()
  expect(found()).toEqual([])
})

test('leaves no text that was planned for a modem without PDUs', async () => {
  const parts = [{ pdu: '', tpduLength: 0, text: outboundText }]
  await journal.write([...begun, { kind: 'command-planned', cmdId: 'c1', plan: { ...plan, parts } }])
  await journal.write([...ended, { kind: 'mark-recorded', mark: 3, streamId: 's' }])
  await journal.forget(everything)
  await backUp()
  expect(found()).toEqual([])
})

test('keeps content of unsynced events', async () => {
  await journal.write([...begun, ...ended])
  await journal.write([{ kind: 'mark-recorded', mark: 1, streamId: 's' }])
  await journal.forget(everything)
  expect(found()).toEqual([inboundText, ussdText])
  const { events } = await journal.read('event-texts', { from: 2, most: 9 })
  expect(events.map(({ text }) => JSON.parse(text).text)).toEqual([inboundText, ussdText])
})

test('keeps the content of acknowledged events for a restored relay, unless the relay requests its removal', async () => {
  await journal.write([...begun, ...ended, { kind: 'mark-recorded', mark: 3, streamId: 's' }])
  await journal.forget(nothing)
  expect(found()).toEqual([inboundText, ussdText])
})

test('keeps the content of a message that has not ended', async () => {
  await journal.write(begun)
  await journal.forget(everything)
  const record = await journal.read('command', { cmdId: 'c1' })
  expect(record).toMatchObject({ command: { content: { text: outboundText } }, plan: { parts: [{ pdu: pdus[0] }] } })
})

test('matches reports and repeated PDUs after their content was removed', async () => {
  await journal.write([...begun, ...ended])
  const ask = { iccid: 'i', reference: 7, number: '+447400123456' }
  expect(await journal.read('commands-by-reference', ask)).toMatchObject([
    { cmdId: 'c1', outcome: 'sent', plan: { parts: [{ tpduLength: 5 }] } },
  ])
  expect(await journal.read('inbound-by-id', { pduId: 'p1' })).toMatchObject({ settled: 'emitted', pdu: '' })
})

test('removes content from a journal of an earlier release when opening it', async () => {
  await journal.write([...begun, ...ended])
  await journal.close()
  const database = new DatabaseSync(join(folder, 'journal.db'))
  database.prepare('UPDATE commands SET command = ?, plan = ?').run(JSON.stringify(command), JSON.stringify(plan))
  database.prepare('UPDATE inbound SET pdu = ?').run(pdus[1] ?? '')
  database.close()
  await open()
  await journal.forget(nothing)
  expect(found()).toEqual([inboundText, ussdText])
})
