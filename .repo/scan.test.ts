import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

// The outputs of npm 11 and apt, because a test must not depend on the registries.
const clean = '{ "auditReportVersion": 2, "vulnerabilities": {} }'
const finding = (severity: string) =>
  `{ "vulnerabilities": { "pg": { "name": "pg", "severity": "${severity}", "range": "<8.24.0" } } }`
const refused =
  '{ "message": "405 Method Not Allowed - POST https://registry.example/-/npm/v1/security/advisories/bulk" }'
const upToDate = '0 upgraded, 0 newly installed, 0 to remove and 0 not upgraded.'
const stable = 'Inst tzdata [2025b-0] (2026a-0 Debian:12.14/oldstable-updates [all])'
const security = 'Inst libssl3 [3.0.16-1] (3.0.17-1 Debian-Security:12/oldstable-security [amd64])'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-scan-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

test.each([
  ['passes without findings', clean, upToDate, 0, '5 passed, 0 failed, 0 skipped'],
  ['passes with a moderate finding', finding('moderate'), upToDate, 0, '5 passed, 0 failed, 0 skipped'],
  ['fails with a high finding', finding('high'), upToDate, 1, '4 passed, 1 failed, 0 skipped'],
  ['passes if only other updates are missing', clean, stable, 0, '5 passed, 0 failed, 0 skipped'],
  ['fails if an image lacks a security update', clean, security, 1, '1 passed, 4 failed, 0 skipped'],
])('%s', (_, audit, apt, status, totals) => {
  const run = scan({ npm: answering(audit), podman: answering(apt) })
  expect(run.stdout.trim().split('\n').at(-1)).toBe(totals)
  expect(run.status).toBe(status)
})

test('reports the vulnerable packages', () => {
  const { stdout } = scan({ npm: answering(finding('critical')), podman: answering(security) })
  expect(stdout).toContain('pg <8.24.0 (critical)')
  expect(stdout).toContain('libssl3 [3.0.16-1] (3.0.17-1)')
})

test('reports the packages that it could not scan, and then fails unless the scan is optional', () => {
  const programs = { npm: `${answering(refused)}exit 1\n`, podman: 'exit 1\n' }
  const { stdout, status } = scan(programs)
  expect({ status, totals: stdout.trim().split('\n').at(-1) }).toEqual({
    status: 1,
    totals: '0 passed, 0 failed, 5 skipped',
  })
  expect(stdout).toContain('the npm packages of a release: 405 Method Not Allowed')
  expect(stdout).toContain('run npm run images first')
  expect(scan(programs, '--optional').status).toBe(0)
})

function answering(text: string): string {
  return `cat <<'ANSWER'\n${text}\nANSWER\n`
}

function scan(programs: Readonly<Record<string, string>>, ...args: string[]) {
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}`)
    chmodSync(join(folder, name), 0o755)
  }
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
  return spawnSync(process.execPath, [join(import.meta.dirname, 'scan.ts'), ...args], { encoding: 'utf8', env })
}
