import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// Here and not beside the unit: it takes a program that not every machine has, and the tests of every day need none.
test('systemd finds nothing wrong with the unit of the agent', () => {
  const unit = join(import.meta.dirname, '../../agent/system/smsgw-agent.service')
  const { status, stdout, stderr, error } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
  expect(error, 'the package systemd has to be installed').toBeUndefined()
  const complaints = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('smsgw'))
  expect({ status, complaints }).toEqual({ status: 0, complaints: [] })
})
