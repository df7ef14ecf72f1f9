import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeDurably } from './durable-file.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-durable-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('replaces a file as a whole, with mode 0600, and leaves no temporary file', () => {
  const file = join(folder, 'credentials.json')
  writeDurably(file, 'a long first content\n')
  writeDurably(file, 'short\n')
  expect(readFileSync(file, 'utf8')).toBe('short\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['credentials.json'])
})
