import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// This test is in the e2e suite, because it needs systemd-analyze, which is not on every machine.
const units = ['agent/system/smsgw-agent', 'bridge/system/smsgw-bridge', 'gateway/system/smsgw-gateway']
  .concat('relay/system/smsgw-relay', 'relay/system/smsgw-router')
  .map((unit) => join(import.meta.dirname, `../../${unit}.service`))

test.each(units)('systemd-analyze verify accepts %s', (unit) => {
  const { status, output } = analyze('verify', unit)
  const complaints = output.split('\n').filter((line) => line.includes('smsgw'))
  expect({ status, complaints }).toEqual({ status: 0, complaints: [] })
})

// A rating of 10 would mean a service without protection.
test.each(units)('systemd-analyze security rates %s at most 2.0', (unit) => {
  expect(analyze('security', '--offline=true', '--threshold=20', unit).status).toBe(0)
})

function analyze(...args: string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr, error } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  expect(error, 'the package systemd has to be installed').toBeUndefined()
  return { status, output: `${stdout}${stderr}` }
}
