import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// Here and not beside the units: it takes a program that not every machine has, and the tests of every day need none.
const units = ['agent', 'gateway', 'relay'].map((app) =>
  join(import.meta.dirname, `../../${app}/system/smsgw-${app}.service`),
)

test.each(units)('systemd finds nothing wrong with %s', (unit) => {
  const { status, output } = analyze('verify', unit)
  const complaints = output.split('\n').filter((line) => line.includes('smsgw'))
  expect({ status, complaints }).toEqual({ status: 0, complaints: [] })
})

test.each(units)('systemd takes %s for well protected', (unit) => {
  // Of 10 for a service without protection; what is above 30 (3.0) ends it with 1.
  expect(analyze('security', '--offline=true', '--threshold=30', unit).status).toBe(0)
})

function analyze(...args: string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr, error } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  expect(error, 'the package systemd has to be installed').toBeUndefined()
  return { status, output: `${stdout}${stderr}` }
}
