import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkDataFolder, checkSpace, fsync } from './checks/check-data-folder.ts'
import { checkClock, checkPower, checkSkew, checkThrottled } from './checks/check-machine.ts'
import { checkModem } from './checks/check-modem.ts'
import type { ModemExamination } from './examine-modem.ts'
import { findingForRelay } from './finding.ts'
import { withoutSecrets } from './support-bundle.ts'

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
] as const)(
  'present undervoltage is an error, and undervoltage since the boot is a warning: %j is %s',
  (flags, level) => {
    expect(checkThrottled(flags).level).toBe(level)
  },
)

test('reads undervoltage from the firmware or the sensor of a Raspberry Pi, and reports nothing on other machines', () => {
  expect(checkPower(folder)).toEqual([])
  write('class/hwmon/hwmon1/name', 'rpi_volt\n')
  write('class/hwmon/hwmon1/in0_lcrit_alarm', '1\n')
  expect(checkPower(folder)).toMatchObject([{ level: 'fail' }])
  write('devices/platform/soc/soc:firmware/get_throttled', '50000\n')
  expect(checkPower(folder)).toMatchObject([{ level: 'warn' }])
})

test('checks space, speed and permissions of the data folder', () => {
  const disk = { path: '/data', disk: '/dev/sda1 mounted at /', hasInodes: true }
  expect([checkSpace({ ...disk, freeBytes: 40_960_000 }), fsync(120)]).toMatchObject([
    { level: 'fail', text: '/data has 40 MB free (/dev/sda1 mounted at /)' },
    { level: 'warn' },
  ])
  expect(checkSpace({ ...disk, freeBytes: 4_096_000_000 }).level).toBe('ok')
  expect(checkSpace({ ...disk, freeBytes: 4_096_000_000, hasInodes: false }).level).toBe('fail')
  expect(checkDataFolder(folder)[0]).toMatchObject({ level: 'ok' })
  expect(checkDataFolder(folder)[1]).toMatchObject({ subject: 'disk space', text: expect.stringContaining(folder) })
  mkdirSync(join(folder, 'open'), { mode: 0o755 })
  expect(checkDataFolder(join(folder, 'open'))[0]).toMatchObject({
    level: 'warn',
    text: expect.stringContaining('other users'),
  })
})

test('reports whether the system clock is ahead of or behind the relay', () => {
  expect(checkSkew(1_000).level).toBe('ok')
  expect(checkSkew(-90_000).text).toBe('this machine is 90 s behind the relay')
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

function problems(more: object, status: object = {}) {
  const findings = checkModem({ ...healthy, ...more, status: { ...healthy.status, ...status } } as ModemExamination)
  return findings.filter(({ level }) => level !== 'ok').map(({ level, subject }) => `${level} ${subject}`)
}

test('a healthy modem has no problems, and each problem is one finding', () => {
  expect(problems({})).toEqual([])
  expect(problems({ pinTries: { pin: 2, puk: 10 } })).toEqual(['warn SIM 1, card'])
  expect(problems({}, { registration: 'denied' })).toEqual(['fail SIM 1, network'])
  expect(problems({ detectedBaudRate: 9_600 })).toEqual(['warn SIM 1, baud rate'])
  expect(problems({ isReady: false }, { registration: 'searching' })).toEqual(['fail SIM 1, network'])
  expect(problems({}, { signalDbm: -109, bars: 1 })).toEqual(['warn SIM 1, signal'])
  expect(problems({}, { state: 'roaming', registration: 'roaming' })).toEqual(['warn SIM 1, network'])
  expect(problems({}, { networkClockAheadMs: 300_000 })).toEqual(['warn SIM 1, network clock'])
  expect(problems({ serviceCentre: 'none' })).toEqual(['fail SIM 1, service centre'])
  expect(problems({ storageFull: true })).toEqual(['fail SIM 1, storage'])
  expect(problems({ ownNumber: 'unknown' })).toEqual(['warn SIM 1, own number'])
  expect(problems({}, { shortcomings: ['no-delivery-reports'] })).toEqual(['warn SIM 1, modem'])
  expect(problems({ serviceCentre: 'unknown' }, { shortcomings: ['web-interface'] })).toEqual(['warn SIM 1, modem'])
  const blocked = { reason: 'puk-required', words: 'The SIM is blocked.', advice: 'Enter the PUK in a phone.' }
  expect(problems({ blocked }, { simNumber: undefined })).toEqual(['fail modem /dev/ttyUSB2, modem'])
})

test('a finding reaches the relay with its code, its values, its SIM and the commands that solve the problem', () => {
  const blocked = { reason: 'pin-wrong', words: 'The SIM refused the PIN.', advice: 'Correct it.', triesLeft: 2 }
  const [refused, tries] = checkModem({ ...healthy, blocked, pinTries: undefined } as ModemExamination)
  expect(refused && findingForRelay(refused)).toEqual({
    ...{ check: 'SIM 1, modem', verdict: 'problem', text: 'The SIM refused the PIN. (2 attempts left)' },
    ...{ advice: 'Correct it.', code: 'modem.pin-wrong', simNumber: 1 },
  })
  expect(tries && findingForRelay(tries)).toMatchObject({ code: 'card.tries', values: { tries: 2 } })
  const last = { ...healthy, blocked: { ...blocked, triesLeft: 1 }, pinTries: undefined } as ModemExamination
  expect(checkModem(last).map(({ text }) => text)).toEqual([
    'The SIM refused the PIN. (1 attempt left)',
    '1 PIN attempt left',
  ])
  const [clock] = checkClock('lost')
  expect(clock && findingForRelay(clock)).toMatchObject({
    ...{ code: 'clock.unsynchronised', values: { zone: expect.any(String) } },
    commands: ['sudo timedatectl set-ntp true'],
  })
})

test('a command that is too long for the relay is left out, not shortened', () => {
  const fix = { about: 'install', commands: [['apt-get', 'install', 'x'.repeat(600)]] }
  expect(findingForRelay({ level: 'fail', subject: 'x', text: 'x', fix })).not.toHaveProperty('commands')
  const short = { ...fix, commands: [['apt-get', 'install', 'usb-modeswitch']] }
  expect(findingForRelay({ level: 'fail', subject: 'x', text: 'x', fix: short })).toMatchObject({
    commands: ['sudo apt-get install usb-modeswitch'],
  })
})

test('suggests that a silent modem on the GPIO pins is switched off, and that a silent USB modem hangs', () => {
  const advice = (port: string) =>
    checkModem({ ...healthy, status: { port, words: 'does not answer' } } as ModemExamination)[0]?.advice
  expect(advice('/dev/serial0')).toContain('PWRKEY')
  expect(advice('/dev/ttyUSB2')).toContain('unplug it for ten seconds')
})

test('masks numbers, PDUs, keys and secrets, and keeps dates, versions and measurements', () => {
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
