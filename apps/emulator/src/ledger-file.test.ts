import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'
import type { LedgerEntry } from '@smsgw/virtual-modem/network/ledger'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LedgerFile } from './ledger-file.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledger-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const entry = (sequence: number, text = 'hello'): LedgerEntry => ({
  sequence,
  epochMs: Date.UTC(2030, 0, 2, 3, 4, 5),
  modem: '356938035648094',
  imsi: '234157700900001',
  messageReference: 7,
  pdu: '0100',
  destination: '+447700900123',
  text,
})

test('writes an entry as one line of JSON with its time', () => {
  const ledger = new LedgerFile(join(folder, 'deep', 'ledger.jsonl'))
  ledger.append(entry(1, 'line\nbreak'))
  ledger.close()
  const lines = readFileSync(ledger.path, 'utf8').split('\n')
  expect(lines).toHaveLength(2)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    time: '2030-01-02T03:04:05.000Z',
    sequence: 1,
    text: 'line\nbreak',
  })
})

test('refuses a path where no folder can be created', () => {
  expect(() => new LedgerFile('/proc/nowhere/deep/ledger.jsonl')).toThrow(/^ledger: cannot write \/proc\/nowhere/)
})

test('append returns only after the line is written and synced', () => {
  const calls: string[] = []
  const ledger = new LedgerFile(join(folder, 'ledger.jsonl'), {
    // Simulates a disk that accepts a hundred octets at a time.
    write: (_fd, bytes) => {
      calls.push('write')
      return Math.min(100, bytes.length)
    },
    sync: () => calls.push('sync'),
  })
  ledger.append(entry(1))
  expect(calls.slice(0, -1)).toEqual(calls.slice(0, -1).map(() => 'write'))
  expect(calls.length).toBeGreaterThan(2)
  expect(calls.at(-1)).toBe('sync')
  ledger.close()
})

test('throws when the disk cannot sync', () => {
  const ledger = new LedgerFile(join(folder, 'ledger.jsonl'), {
    write: (_fd, bytes) => bytes.length,
    sync: () => {
      throw new Error('EIO')
    },
  })
  expect(() => ledger.append(entry(1))).toThrow('EIO')
  ledger.close()
})

test('appends to an existing file and removes a partial line', () => {
  const path = join(folder, 'ledger.jsonl')
  const first = new LedgerFile(path)
  first.append(entry(1))
  first.close()
  appendFileSync(path, '{"time":"2030-01-02T03:')
  const second = new LedgerFile(path)
  second.append(entry(2))
  expect(second.tail(10)).toMatchObject([{ sequence: 1 }, { sequence: 2 }])
  second.close()
})

test('returns the last entries, oldest first', () => {
  const ledger = new LedgerFile(join(folder, 'ledger.jsonl'))
  for (let sequence = 1; sequence <= 50; sequence++) ledger.append(entry(sequence, 'ü'.repeat(70)))
  expect(ledger.tail(2)).toMatchObject([{ sequence: 49 }, { sequence: 50 }])
  expect(ledger.tail(100)).toHaveLength(50)
  ledger.close()
})

test('stops the start with one line when the ledger cannot be written', () => {
  writeFileSync(join(folder, 'file'), '')
  expect(() => new LedgerFile(join(folder, 'file', 'ledger.jsonl'))).toThrow(StartError)
})
