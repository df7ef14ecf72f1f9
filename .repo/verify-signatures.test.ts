import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

// The output of npm 11, because a test must not depend on the registry.
const verified = 'audited 1186 packages in 5s\n\n1186 packages have verified registry signatures'
const forged = '1 package has an invalid registry signature:\n\npg@8.23.1 (https://registry.npmjs.org/)'
const unreachable =
  'npm error network request to https://tuf-repo-cdn.sigstore.dev/15.root.json failed, reason: getaddrinfo ENOTFOUND'
const withoutKeys = 'npm error found no dependencies to audit that were installed from a supported registry'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-signatures-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

test.each([
  ['passes with verified signatures', 0, verified, 0, '1 passed, 0 failed, 0 skipped'],
  ['fails on a wrong signature', 1, forged, 1, '0 passed, 1 failed, 0 skipped'],
  ['is skipped without a connection to the keys', 1, unreachable, 0, '0 passed, 0 failed, 1 skipped'],
  ['is skipped at a registry without keys', 1, withoutKeys, 0, '0 passed, 0 failed, 1 skipped'],
])('%s', (_, npmStatus, answer, status, totals) => {
  const run = verify(npmStatus, answer, '--optional')
  expect(run.stdout.trim().split('\n').at(-1)).toBe(totals)
  expect(run.status).toBe(status)
})

test('fails without keys, unless the check is optional, and prints the reason', () => {
  const { status, stdout } = verify(1, unreachable)
  expect(status).toBe(1)
  expect(stdout).toContain('signatures not verified: https://tuf-repo-cdn.sigstore.dev/15.root.json failed')
})

function verify(npmStatus: number, answer: string, ...args: string[]) {
  const npm = join(folder, 'npm')
  // Like npm, this script prints nothing in `npm run --silent` unless it gets a log level.
  writeFileSync(npm, `#!/bin/sh\ncase "$*" in *--loglevel=error*) echo '${answer}' ;; esac\nexit ${npmStatus}\n`)
  chmodSync(npm, 0o755)
  const script = join(import.meta.dirname, 'verify-signatures.ts')
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env })
}
