import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { existingArchivePath, newArchivePath } from './archive-path.ts'

let folder: string
let loop: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-archive-'))
  // No user can open a link to itself, not even root.
  loop = join(folder, 'loop')
  symlinkSync(loop, loop)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a restore needs an existing file, and the error names what is missing', () => {
  const file = join(folder, 'monday.backup')
  expect(() => existingArchivePath(file)).toThrow(`${file} does not exist`)
  expect(() => existingArchivePath(folder)).toThrow(
    `${folder} is a folder: give the path of the backup file in this folder`,
  )
  writeFileSync(file, '')
  expect(existingArchivePath(file)).toBe(file)
})

test('a file that the user cannot read is not reported as missing', () => {
  expect(() => existingArchivePath(loop)).toThrow(`the user ${userInfo().username} cannot read ${loop}. Copy the file`)
})

test('a backup needs a folder to which the user can write, and never replaces a file', () => {
  const file = join(folder, 'monday.backup')
  expect(newArchivePath(file)).toBe(file)
  writeFileSync(file, '')
  expect(() => newArchivePath(file)).toThrow(`${file} already exists`)
  expect(() => newArchivePath(join(folder, 'gone/monday.backup'))).toThrow(`${join(folder, 'gone')} does not exist`)
  expect(() => newArchivePath(join(loop, 'monday.backup'))).toThrow(
    `the user ${userInfo().username} cannot write to ${loop}. Use a folder`,
  )
})
