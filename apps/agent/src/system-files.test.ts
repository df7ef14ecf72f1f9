import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue } from '@smsgw/modem/profiles/catalogue'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../system')

test('the unit does not restrict devices, so that modems can be plugged in later', () => {
  const unit = readFileSync(join(folder, 'smsgw-agent.service'), 'utf8')
  expect(unit).not.toMatch(/^(ProtectClock|PrivateDevices|DevicePolicy|DeviceAllow)=/m)
})

test('the udev rule lists the vendors of all modem profiles', () => {
  const rules = readFileSync(join(folder, '70-smsgw.rules'), 'utf8')
  const ruled = new Set(
    [...rules.matchAll(/ATTR\{idVendor\}=="([0-9a-f|]+)"/g)].flatMap(([, list = '']) => list.split('|')),
  )
  const ids = catalogue.flatMap(({ fingerprints }) => fingerprints.flatMap(({ usb }) => usb ?? []))
  const makers = new Set(ids.map((id) => id.slice(0, 4)))
  // Most Intel devices are not modems.
  makers.delete('8087')
  expect([...ruled].sort()).toEqual([...makers].sort())
})

test('each line of the udev rule consists of valid udev conditions and assignments', () => {
  const lines = readFileSync(join(folder, '70-smsgw.rules'), 'utf8').split('\n')
  const term = /^(?:(?:ACTION|SUBSYSTEM|ENV\{\w+\}|ATTR\{[\w/]+\}|TEST)(?:==|!=|=)|(?:GOTO|LABEL)=)"[^"]*"$/
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#'))
  expect(rules.flatMap((line) => line.split(', ')).filter((part) => !term.test(part))).toEqual([])
})
