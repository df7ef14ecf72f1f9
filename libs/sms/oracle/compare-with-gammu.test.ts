import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test.each([
  [[], 1],
  [['--optional'], 0],
])('without gammu the error names the package to install: options %j exit with %i', (options, code) => {
  const file = join(import.meta.dirname, 'compare-with-gammu.ts')
  const args = [file, '--count', '1', '--python', '/nowhere/python3', ...options]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({
    status: code,
    stdout: 'gammu is not installed, so nothing was compared. Install it: sudo apt-get install python3-gammu\n',
  })
})
