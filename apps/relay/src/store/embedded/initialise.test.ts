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

/** Replaces initdb by a program that fails with these errors. */
function failing(...errors: readonly string[]) {
  const initdb = join(root, 'initdb')
  writeFileSync(initdb, `#!/bin/sh\n${errors.map((error) => `echo '${error}' >&2\n`).join('')}exit 1\n`)
  chmodSync(initdb, 0o755)
  const binaries = { initdb, postgres: '', majorVersion: '17' }
  return initialise(join(root, 'database'), {
    ...{ binaries, user: { prefix: [], owner: undefined }, dieWithUs: [], durable: false },
  })
}

test.each([
  ['initdb', ['initdb: error: could not write to file "base/4/1249": No space left on device']],
  [
    'its server',
    [
      '2026-03-01 08:46:11.289 UTC [42] FATAL:  could not extend file "base/1/2691": No space left on device',
      '2026-03-01 08:46:11.289 UTC [42] HINT:  Check free disk space.',
      '2026-03-01 08:46:11.289 UTC [42] PANIC:  cannot abort transaction 1, it was already committed',
      'child process exited with exit code 134',
      'initdb: removing data directory',
    ],
  ],
])('if %s reports a full disk, says how much space is free, how much is needed, and what to do', async (_, errors) => {
  await expect(failing(...errors)).rejects.toThrow(
    /: could not \w+ (?:to )?file "[\w/]+": No space left on device\. Disk full: .* has .* free.*, and the database needs 200 MB\. Free disk space, then start again$/,
  )
})

test('says what to do about another problem', async () => {
  await expect(failing('initdb: error: something else')).rejects.toThrow(
    'something else. Fix the problem, or set DATABASE_URL',
  )
})
