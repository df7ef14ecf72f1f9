import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bootMemory } from './boot-memory.ts'

let shared: string
let folder: string

beforeEach(() => {
  shared = mkdtempSync('/dev/shm/smsgw-test-')
  folder = join(shared, `smsgw-${process.getuid?.()}`)
})

afterEach(() => rmSync(shared, { recursive: true, force: true }))

test('a folder of its own is made, and found again', () => {
  expect(bootMemory(shared)).toMatchObject({ folder })
  expect(bootMemory(shared)).toMatchObject({ folder })
})

test('one that others may write to is not believed', () => {
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  expect(bootMemory(shared)).toBeUndefined()
})

test('nor a link that somebody has put there, though it leads to a folder of its own', () => {
  const precious = join(shared, 'precious')
  mkdirSync(precious, { mode: 0o700 })
  symlinkSync(precious, folder)
  expect(bootMemory(shared)).toBeUndefined()
})
