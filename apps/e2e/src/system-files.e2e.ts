import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// In the e2e suite, because it needs systemd-analyze, which is not on every machine.
const units = ['agent', 'gateway', 'relay'].map((app) =>
  join(import.meta.dirname, `../../${app}/system/smsgw-${app}.service`),
)

test.each(units)('systemd-analyze verify accepts %s', (unit) => {
  const { status, output } = analyze('verify', unit)
  const complaints = output.split('\n').filter((line) => line.includes('smsgw'))
  expect({ status, complaints }).toEqual({ status: 0, complaints: [] })
})

test.each(units)('systemd-analyze security rates %s at most 3.0', (unit) => {
  // 10 is a service without protection. With `--threshold=30`, a rating above 3.0 exits with 1.
  expect(analyze('security', '--offline=true', '--threshold=30', unit).status).toBe(0)
})

function analyze(...args: string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr, error } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  expect(error, 'the package systemd has to be installed').toBeUndefined()
  return { status, output: `${stdout}${stderr}` }
}
