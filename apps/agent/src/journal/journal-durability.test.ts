import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type OpenedJournal, openJournal } from './journal.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-journal-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('the journal has every confirmed write on disk after the process is killed while writing', async () => {
  const acknowledged = await killedAfter(60)
  expect(acknowledged.length).toBeGreaterThanOrEqual(60)
  const { journal } = await opened()
  const notes = await journal.read('notes', {})
  expect(acknowledged.filter((name) => !(name in notes))).toEqual([])
  // The journal must have both changes of one write, or neither of them.
  const halves = Object.keys(notes).filter((name) => !name.endsWith('b') && !(`${name}b` in notes))
  expect(halves).toEqual([])
  await journal.close()
})

test('writes deferrable changes soon and in order', async () => {
  const { journal } = await opened()
  const first = journal.write([{ kind: 'note', name: 'n', value: 1 }], { mayWaitMs: 4 })
  const second = journal.write([{ kind: 'note', name: 'n', value: 2 }])
  expect(await journal.read('notes', {})).toEqual({ n: 2 })
  await Promise.all([first, second])
  // A delayed write reaches the disk even if no other write follows.
  await journal.write([{ kind: 'note', name: 'n', value: 3 }], { mayWaitMs: 4 })
  expect(await journal.read('notes', {})).toEqual({ n: 3 })
  const last = journal.write([{ kind: 'note', name: 'n', value: 4 }], { mayWaitMs: 4 })
  await journal.close()
  await last
  const again = await opened()
  expect(await again.journal.read('notes', {})).toEqual({ n: 4 })
  await again.journal.close()
})

test('refuses a change that violates a constraint, with reason `refused`', async () => {
  const { journal } = await opened()
  const at = { wallMs: 1, trusted: true, bootId: 'b', monotonicMs: 1 }
  const refused = journal.write([{ kind: 'command-ended', cmdId: 'unheard of', at, outcome: 'sent' }])
  await expect(refused).rejects.toMatchObject({ reason: 'refused' })
  await journal.close()
})

test('dates records from a wrong clock when the time becomes known', async () => {
  const { journal } = await opened()
  const now = Date.UTC(2026, 2, 1)
  const at = { wallMs: 1000, trusted: false, bootId: 'b', monotonicMs: 1 }
  await journal.write([
    { kind: 'inbound-received', pduId: 'p', iccid: 'i', simNumber: 1, pdu: '00', at },
    { kind: 'inbound-settled', pduId: 'p', as: 'joined', datedMs: now },
  ])
  await journal.forget({ nowMs: now, recordsMs: 1 })
  expect(await journal.read('inbound', { sinceMs: now - 1 })).toMatchObject([{ pduId: 'p', receivedMs: now }])
  await journal.close()
})

test('keeps text with control characters unchanged', async () => {
  const { journal } = await opened()
  const text = 'nul \0, half a pair \ud83d, \u{1f600}, \u2028, "quotes"'
  const at = { wallMs: 1, trusted: true, bootId: 'b', monotonicMs: 1 }
  await journal.write([
    { kind: 'inbound-received', pduId: 'p', iccid: 'i', simNumber: 1, pdu: 'no\0hex', at, detail: { text } },
  ])
  expect(await journal.read('inbound-by-id', { pduId: 'p' })).toMatchObject({ pdu: 'no\0hex', detail: { text } })
  await journal.close()
})

function opened(): Promise<OpenedJournal> {
  return openJournal({
    path: join(folder, 'journal.db'),
    newJournalId: 'journal-1',
    onLost: (error) => {
      throw error
    },
  })
}

/** Kills a process that writes notes continuously. Returns the names of the notes that were confirmed. */
async function killedAfter(lines: number): Promise<readonly string[]> {
  const script = `
    import { openJournal } from ${JSON.stringify(new URL('./journal.ts', import.meta.url).href)}
    const { journal } = await openJournal({ path: process.argv[2], newJournalId: 'journal-1', onLost: () => process.exit(1) })
    const work = async (who) => {
      for (let at = 0; ; at += 1) {
        const name = who + at
        await journal.write([{ kind: 'note', name, value: at }, { kind: 'note', name: name + 'b', value: at }], { mayWaitMs: at % 2 === 0 ? 4 : 0 })
        process.stdout.write(name + '\\n')
      }
    }
    await Promise.all(['x', 'y', 'z'].map(work))`
  const file = join(folder, 'writes.mjs')
  writeFileSync(file, script)
  const child = spawn(process.execPath, [file, join(folder, 'journal.db')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const confirmed: string[] = []
  for await (const line of createInterface(child.stdout)) {
    confirmed.push(line)
    if (confirmed.length === lines) child.kill('SIGKILL')
  }
  if (child.signalCode === null) await once(child, 'exit')
  return confirmed
}
