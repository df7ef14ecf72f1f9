import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-entrypoint-'))
  for (const program of ['smsgw', 'node']) {
    writeFileSync(join(folder, program), `#!/bin/sh\necho "${program} $*"\n`)
    chmodSync(join(folder, program), 0o755)
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  [['relay', 'accounts', 'list'], 'smsgw relay accounts list'],
  [['setup'], 'smsgw setup'],
  [['mcp'], 'smsgw mcp'],
  [['gatewya'], 'smsgw gatewya'],
  [['--version'], 'smsgw --version'],
  [[], 'smsgw '],
  [['node', 'gateway/main.js'], 'node gateway/main.js'],
  [['smsgw', '--version'], 'smsgw --version'],
])('an image with the arguments %j runs %j', (args, started) => {
  const path = `${folder}:/usr/bin:/bin`
  const { stdout } = spawnSync(join(import.meta.dirname, 'entrypoint'), args, { encoding: 'utf8', env: { PATH: path } })
  expect(stdout).toBe(`${started}\n`)
})
