import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkedRelayUrl, readAgentConfig } from './config.ts'
import { wantedModems } from './modem-addresses.ts'

test.each([
  [{ RELAY_URL: 'sms.example.org' }, 'RELAY_URL must begin with wss://; for example RELAY_URL=wss://sms.example.org'],
  [{ IN_DOUBT_SECONDS: 'soon' }, 'IN_DOUBT_SECONDS must be a whole number; for example IN_DOUBT_SECONDS=900'],
  [
    { LOG_LEVEL: 'loud' },
    'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal; for example LOG_LEVEL=debug',
  ],
  [
    { MODEMS: '/dev/ttyUSB2, foo' },
    'MODEMS contains "foo", which is not a port. Write a device, tcp://host:port (1 to 65535) or hilink://host; for example MODEMS=/dev/ttyUSB2,tcp://192.168.1.5:7000',
  ],
  [{ MODEMS: '/dev/ttyUSB2 /dev/ttyUSB3' }, 'MODEMS contains "/dev/ttyUSB2 /dev/ttyUSB3", which is not a port.'],
  [{ MODEMS: '/dev/ttyUSB*' }, 'MODEMS contains "/dev/ttyUSB*", which is not a port.'],
  [{ MODEMS: 'auto+/dev/ttyUSB3' }, 'MODEMS contains "auto+/dev/ttyUSB3", which is not a port.'],
  [{ MODEMS: 'tcp://localhost:99999' }, 'MODEMS contains "tcp://localhost:99999", which is not a port.'],
  [{ MODEMS: 'tcp://localhost' }, 'MODEMS contains "tcp://localhost", which is not a port.'],
  [{ MODEMS: '/dev/ttyUSB2+tcp://x' }, 'MODEMS contains "tcp://x", which is not a port.'],
  [{ MODEMS: 'hilink://' }, 'MODEMS contains "hilink://", which is not a port.'],
  [{ SIM_1_PIN: 'secret' }, 'SIM_1_PIN must have four to eight digits; for example SIM_1_PIN=1234'],
  [{ SIM_1_PIN: '12' }, 'SIM_1_PIN must have four to eight digits; for example SIM_1_PIN=1234'],
  [{ SIM_99_PIN: '1234' }, 'SIM_99_PIN: SIM numbers range from 1 to 64; for example SIM_1_PIN=1234'],
])('a wrong value gives one line with the name, the problem and an example: %j', (environment, message) => {
  expect(() => readAgentConfig(environment)).toThrow(message)
})

test('the error about an invalid secret does not contain the secret', () => {
  expect(() => readAgentConfig({ ENROLMENT_TOKEN: 'too short' })).toThrow(
    /^ENROLMENT_TOKEN needs at least 32 characters;(?!.*too short)/,
  )
})

test('reads numbers and PINs by SIM slot', () => {
  const { sims } = readAgentConfig({ SIM_1_NUMBER: '+447700900123', SIM_1_PIN: '1234', SIM_12_PIN: '5678' })
  expect([...sims]).toEqual([
    [1, { number: '+447700900123', pin: '1234' }],
    [12, { number: undefined, pin: '5678' }],
  ])
})

test.each([
  ['26202', { code: '26202', mayFallBack: false }],
  ['310260,any', { code: '310260', mayFallBack: true }],
  ['auto', 'automatic'],
])('reads the operator %s of a SIM', (value, operator) => {
  const { sims } = readAgentConfig({ SIM_2_OPERATOR: value, SIM_2_PIN: '1234' })
  expect(sims.get(2)).toEqual({ number: undefined, pin: '1234', operator })
})

test.each(['2620', 'Vodafone', '26202,', '26202,none', '+26202'])('refuses the operator %j', (value) => {
  expect(() => readAgentConfig({ SIM_1_OPERATOR: value })).toThrow(
    /^SIM_1_OPERATOR must be "auto", or the country and network/,
  )
})

test.each([
  ['a device that may be plugged in later', '/dev/ttyUSB99,./modem'],
  ['a host that may answer later', 'tcp://modem.example:7000,tcp://[::1]:1,hilink://192.168.8.1'],
  ['the modem of the gateway, beside all USB modems', 'auto,virtual'],
])('MODEMS may name %s', (_, value) => {
  expect(readAgentConfig({ MODEMS: value }).MODEMS).toBe(value)
})

test('MODEMS is `auto` or a list of addresses', () => {
  expect(wantedModems({ MODEMS: 'auto' })).toEqual({ auto: true, addresses: [] })
  expect(wantedModems({ MODEMS: '/dev/ttyUSB2, tcp://h:1,' })).toEqual({
    auto: false,
    addresses: ['/dev/ttyUSB2', 'tcp://h:1'],
  })
})

test('MODEMS may name the second port of a modem after a plus sign', () => {
  const odd = '/dev/serial/by-id/usb-A+B-if02'
  expect(wantedModems({ MODEMS: `/dev/ttyUSB2+/dev/ttyUSB3,${odd},tcp://h:1+tcp://h:2` })).toEqual({
    auto: false,
    addresses: ['/dev/ttyUSB2', odd, 'tcp://h:1'],
    seconds: { '/dev/ttyUSB2': '/dev/ttyUSB3', 'tcp://h:1': 'tcp://h:2' },
  })
})

test('allows unencrypted connections only to this machine, or with ALLOW_INSECURE_HTTP', () => {
  expect(checkedRelayUrl('ws://localhost:3000', false)).toBe('ws://localhost:3000/agent/v1')
  expect(checkedRelayUrl('http://127.0.0.1:3000', false)).toBe('ws://127.0.0.1:3000/agent/v1')
  expect(checkedRelayUrl('https://sms.example.org', false)).toBe('wss://sms.example.org/agent/v1')
  expect(checkedRelayUrl('ws://192.168.1.2:3000', true)).toBe('ws://192.168.1.2:3000/agent/v1')
  expect(() => checkedRelayUrl('ws://192.168.1.2:3000', false)).toThrow('is not encrypted: use wss://')
  expect(() => checkedRelayUrl('ws://localhost.example.org', false)).toThrow('is not encrypted')
  expect(() => checkedRelayUrl('wss://me:hunter2@sms.example.org', false)).toThrow(
    /^(?!.*hunter2).*must not contain a username/,
  )
  expect(() => checkedRelayUrl('ftp://sms.example.org', false)).toThrow('is not a valid relay address')
})

test('reads a PIN from a file, and refuses a PIN that is set twice', () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-pin-'))
  const file = join(folder, 'pin')
  writeFileSync(file, '1234\n')
  const { sims } = readAgentConfig({ SIM_2_PIN_FILE: file })
  expect(sims.get(2)).toEqual({ number: undefined, pin: '1234' })
  expect(() => readAgentConfig({ SIM_2_PIN_FILE: file, SIM_2_PIN: '4321' })).toThrow(
    'SIM_2_PIN and SIM_2_PIN_FILE are both set: remove one of them',
  )
  rmSync(folder, { recursive: true })
})
