import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bootMemory } from './boot-mark.ts'
import type { Change } from './change.ts'
import { openJournal } from './journal.ts'

let disk: string
let memory: string

beforeEach(() => {
  disk = mkdtempSync(join(tmpdir(), 'smsgw-disk-'))
  memory = mkdtempSync(join(tmpdir(), 'smsgw-memory-'))
})

afterEach(() => {
  for (const folder of [disk, memory]) rmSync(folder, { recursive: true, force: true })
})

test('continues a confirmed journal in the next processes', async () => {
  await run({ confirmed: true })
  expect(await run()).toBe(true)
  expect(await run()).toBe(true)
})

test('does not continue an unconfirmed journal', async () => {
  await run()
  expect(await run()).toBe(false)
})

test('does not continue a journal after the machine was switched off', async () => {
  await run({ confirmed: true })
  expect(await run({ bootId: 'second' })).toBe(false)
  expect(await run({ bootId: 'second' })).toBe(false)
})

test('does not change files that are not marks', async () => {
  writeFileSync(join(memory, 'agent-identity.json'), '{\n  "privateKey": "…"\n}\n')
  await run()
  expect(readdirSync(memory)).toContain('agent-identity.json')
})

test('does not continue a journal without boot memory', async () => {
  await run({ confirmed: true })
  rmSync(memory, { recursive: true })
  expect(await run()).toBe(false)
})

test('does not continue an older copy of the journal, neither from the previous start nor from this start', async () => {
  await run({ confirmed: true })
  cpSync(disk, `${disk}-copy`, { recursive: true })
  expect(await run()).toBe(true)
  putBack(`${disk}-copy`)
  expect(await run()).toBe(false)
})

test('does not continue a copy with fewer commits', async () => {
  await run({
    confirmed: true,
    meanwhile: async (write) => {
      await write()
      const copy = new DatabaseSync(join(disk, 'journal.db'))
      copy.exec(`VACUUM INTO '${disk}-copy.db'`)
      copy.close()
      await write()
    },
  })
  for (const name of readdirSync(disk)) rmSync(join(disk, name))
  renameSync(`${disk}-copy.db`, join(disk, 'journal.db'))
  expect(await run()).toBe(false)
})

test('does not continue a copy at another path', async () => {
  await run({ confirmed: true })
  cpSync(disk, `${disk}-twin`, { recursive: true })
  expect(await run({ folder: `${disk}-twin` })).toBe(false)
  rmSync(`${disk}-twin`, { recursive: true })
})

test('removes the marks of deleted journals', async () => {
  await run({ confirmed: true })
  const other = mkdtempSync(join(tmpdir(), 'smsgw-disk-'))
  await run({ folder: other })
  expect(readdirSync(memory)).toHaveLength(2)
  rmSync(other, { recursive: true })
  expect(await run()).toBe(true)
  expect(readdirSync(memory)).toHaveLength(1)
})

test('upgrades a journal of the first format', async () => {
  await run({ confirmed: true })
  const old = new DatabaseSync(join(disk, 'journal.db'))
  old.exec(
    'ALTER TABLE journal DROP COLUMN start_token; ALTER TABLE journal DROP COLUMN commits; DROP INDEX events_written; PRAGMA user_version = 1',
  )
  old.close()
  expect(await run({ confirmed: true })).toBe(false)
  expect(await run()).toBe(true)
})

interface Run {
  readonly folder?: string
  readonly bootId?: string
  readonly confirmed?: boolean
  readonly meanwhile?: (write: () => Promise<unknown>) => Promise<void>
}

/** Runs one process. Returns true if the journal was in the state in which the previous process left it. */
async function run({ folder = disk, bootId = 'first', confirmed = false, meanwhile }: Run = {}): Promise<boolean> {
  const { journal, isContinued } = await openJournal({
    path: join(folder, 'journal.db'),
    newJournalId: 'j',
    memory: { bootId, folder: memory },
    onLost: (error) => {
      throw error
    },
  })
  if (confirmed) await journal.confirm(true)
  await journal.write([note])
  await meanwhile?.(() => journal.write([note]))
  await journal.close()
  return isContinued
}

function putBack(copy: string): void {
  rmSync(disk, { recursive: true })
  renameSync(copy, disk)
}

const note: Change = { kind: 'note', name: 'n', value: 1 }

describe('boot memory', () => {
  let shared: string
  let folder: string

  beforeEach(() => {
    shared = mkdtempSync('/dev/shm/smsgw-test-')
    folder = join(shared, `smsgw-${process.getuid?.()}`)
  })

  afterEach(() => rmSync(shared, { recursive: true, force: true }))

  test('creates its own folder, and finds it again', () => {
    expect(bootMemory(shared)).toMatchObject({ folder })
    expect(bootMemory(shared)).toMatchObject({ folder })
  })

  test('rejects a folder that other users may write to', () => {
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    expect(bootMemory(shared)).toBeUndefined()
  })

  test('rejects a symbolic link to a private folder', () => {
    const precious = join(shared, 'precious')
    mkdirSync(precious, { mode: 0o700 })
    symlinkSync(precious, folder)
    expect(bootMemory(shared)).toBeUndefined()
  })
})
