import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

test('the command smsgw runs from every folder after npm link', () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-link-'))
  try {
    const { version, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    // npm link creates this link in a folder of PATH.
    symlinkSync(join(root, bin.smsgw), join(folder, 'smsgw'))
    const { status, stdout, stderr } = spawnSync(join(folder, 'smsgw'), ['--version'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
