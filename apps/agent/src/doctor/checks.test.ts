import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ModemExamination } from '../status/examine-modem.ts'
import { checkSkew } from './check-clock.ts'
import { checkDataFolder, fsync, space } from './check-data-folder.ts'
import { checkModem } from './check-modem.ts'
import { checkPower, judgeThrottled } from './check-power.ts'
import { withoutSecrets } from './without-secrets.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-checks-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

test.each([
  [0, 'ok'],
  [0x50000, 'warn'],
  [0x50005, 'fail'],
] as const)('a voltage that is or was too low is told: %j is %s', (flags, level) => {
  expect(judgeThrottled(flags).level).toBe(level)
})

test('the power of a Raspberry Pi is read from its firmware or its sensor, and nothing is said elsewhere', () => {
  expect(checkPower(folder)).toEqual([])
  write('class/hwmon/hwmon1/name', 'rpi_volt\n')
  write('class/hwmon/hwmon1/in0_lcrit_alarm', '1\n')
  expect(checkPower(folder)).toMatchObject([{ level: 'fail' }])
  write('devices/platform/soc/soc:firmware/get_throttled', '50000\n')
  expect(checkPower(folder)).toMatchObject([{ level: 'warn' }])
})

test('room, speed and privacy of the data folder', () => {
  expect([space({ bavail: 10_000, bsize: 4096 }), fsync(120)]).toMatchObject([{ level: 'fail' }, { level: 'warn' }])
  expect(space({ bavail: 1_000_000, bsize: 4096 }).level).toBe('ok')
  expect(checkDataFolder(folder)[0]).toMatchObject({ level: 'ok' })
  mkdirSync(join(folder, 'open'), { mode: 0o755 })
  expect(checkDataFolder(join(folder, 'open'))[0]).toMatchObject({
    level: 'warn',
    words: expect.stringContaining('others'),
  })
})

test('a clock that is off is told with its direction', () => {
  expect(checkSkew(1_000).level).toBe('ok')
  expect(checkSkew(-90_000).words).toBe('this machine is 90 s behind the relay')
})

const healthy: ModemExamination = {
  status: { simNumber: 1, port: '/dev/ttyUSB2', model: 'Quectel EC25', registration: 'home', signalDbm: -73, bars: 4 },
  blocked: undefined,
  isReady: true,
  pinTries: { pin: 3, puk: 10 },
  serviceCentre: 'there',
  ownNumber: 'known',
  isCardKnown: true,
  storageFull: false,
  advice: [],
  trace: [],
} as unknown as ModemExamination

function troubles(more: object, status: object = {}) {
  const findings = checkModem({ ...healthy, ...more, status: { ...healthy.status, ...status } } as ModemExamination)
  return findings.filter(({ level }) => level !== 'ok').map(({ level, subject }) => `${level} ${subject}`)
}

test('a healthy modem gives no trouble, and each that it may have is told by itself', () => {
  expect(troubles({})).toEqual([])
  expect(troubles({ pinTries: { pin: 2, puk: 10 } })).toEqual(['warn SIM 1, card'])
  expect(troubles({}, { registration: 'denied' })).toEqual(['fail SIM 1, network'])
  expect(troubles({ isReady: false }, { registration: 'searching' })).toEqual(['fail SIM 1, network'])
  expect(troubles({}, { signalDbm: -109, bars: 1 })).toEqual(['warn SIM 1, signal'])
  expect(troubles({ serviceCentre: 'none' })).toEqual(['fail SIM 1, service centre'])
  expect(troubles({ storageFull: true })).toEqual(['fail SIM 1, storage'])
  expect(troubles({ ownNumber: 'unknown' })).toEqual(['warn SIM 1, own number'])
  expect(troubles({}, { shortcomings: ['no-delivery-reports'] })).toEqual(['warn SIM 1, modem'])
  const blocked = { reason: 'puk-required', words: 'The SIM is blocked.', advice: 'Enter the PUK in a phone.' }
  expect(troubles({ blocked }, { simNumber: undefined })).toEqual(['fail modem /dev/ttyUSB2, modem'])
})

test('numbers, PDUs, keys and secrets are taken out; dates, versions and measures stay', () => {
  const text = [
    '2026-11-21T21:00:00.000Z sent to +44 7700 900123 and 0151/1234567',
    'a PDU 0011000B916407281553F80000AA0AE8329BFD4697D9EC37, a key',
    '-----BEGIN PRIVATE KEY-----\nabc=\n-----END PRIVATE KEY-----',
    'RELAY_URL=wss://anna:hush@sms.example.org/agent/v1 is not taken',
    'the PIN is 4321, not 14321; 81894 MB, EC25EFAR06A06M4G, usb 2c7c:0125',
  ].join('\n')
  const clean = withoutSecrets(text, ['4321'])
  expect(clean).toBe(
    [
      '2026-11-21T21:00:00.000Z sent to …123 and …567',
      'a PDU [hex], a key',
      '[key]',
      'RELAY_URL=wss://[secret]@sms.example.org/agent/v1 is not taken',
      'the PIN is [secret], not 14321; 81894 MB, EC25EFAR06A06M4G, usb 2c7c:0125',
    ].join('\n'),
  )
})
