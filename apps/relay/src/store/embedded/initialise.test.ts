import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { initialise } from './initialise.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'smsgw-initialise-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Replaces initdb by a program that fails with this error. */
function failing(error: string) {
  const initdb = join(root, 'initdb')
  writeFileSync(initdb, `#!/bin/sh\necho 'initdb: error: ${error}' >&2\nexit 1\n`)
  chmodSync(initdb, 0o755)
  const binaries = { initdb, postgres: '', majorVersion: '17' }
  return initialise(join(root, 'database'), {
    ...{ binaries, user: { prefix: [], owner: undefined }, dieWithUs: [], durable: false },
  })
}

test('on a full disk, says how much space is free, how much is needed, and what to do', async () => {
  await expect(failing('could not write to file "base/4/1249": No space left on device')).rejects.toThrow(
    /No space left on device\. Disk full: .* has .* free.*, and the database needs 200 MB\. Free disk space, then start again$/,
  )
})

test('says what to do about another problem', async () => {
  await expect(failing('something else')).rejects.toThrow('something else. Fix the problem, or set DATABASE_URL')
})
