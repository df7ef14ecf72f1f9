import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../system')

test('the unit does not restrict devices, so that modems can be plugged in later', () => {
  const unit = readFileSync(join(folder, 'smsgw-agent.service'), 'utf8')
  expect(unit).not.toMatch(/^(ProtectClock|PrivateDevices|DevicePolicy|DeviceAllow)=/m)
})
