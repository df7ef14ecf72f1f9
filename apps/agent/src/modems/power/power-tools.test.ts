import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkPowerCycle, powerCycleFix } from '../../doctor/checks/check-power-cycle.ts'
import { failFinding } from '../../doctor/finding.ts'
import { StandInTools } from '../../testing/stand-in-tools.ts'
import { type PowerSwitch, powerSwitchOf, readPowerSetting } from './power-setting.ts'
import { powerCycle } from './power-tools.ts'

let tools: StandInTools

beforeEach(() => {
  tools = new StandInTools()
})

afterEach(() => tools.remove())

const socket: PowerSwitch = { kind: 'hub', location: '1-1', port: '3' }
const pin = (entry: string): PowerSwitch => {
  const how = powerSwitchOf(readPowerSetting(entry), { key: '/dev/serial0', usb: undefined })
  if (how === undefined) throw new Error(`no switch in ${entry}`)
  return how
}

const gpioset = (version: string) => `[ "$1" = --version ] && echo 'gpioset (libgpiod) v${version}'; exit 0`

describe('a GPIO line', () => {
  test.each([
    ['1.6.3', '/dev/serial0=gpiochip0:4', '--mode=time --sec=1 --usec=500000 gpiochip0 4=1'],
    ['1.6.3', '/dev/serial0=gpiochip4:17:low:200', '--active-low --mode=time --sec=0 --usec=200000 gpiochip4 17=1'],
    ['2.2.1', '/dev/serial0=gpiochip0:4', '--chip gpiochip0 --toggle 1500ms,0 4=1'],
    ['2.2.1', '/dev/serial0=gpiochip0:4:low:3000', '--active-low --chip gpiochip0 --toggle 3000ms,0 4=1'],
  ])('a GPIO line is switched with the options of gpioset %s: %s', async (version, entry, call) => {
    tools.install('gpioset', gpioset(version))
    expect(await powerCycle(pin(entry))).toMatch(/^line \d+ of gpiochip\d was switched for \d+ ms$/)
    expect(tools.calls('gpioset')).toEqual(['--version', call])
  })

  test('a GPIO line is not switched without gpioset, and the problem names the command that installs gpioset', async () => {
    expect(await powerCycle(pin('/dev/serial0=gpiochip0:4'))).toBe('gpioset is not installed: sudo apt install gpiod')
  })

  test('a GPIO line is not switched without permission, and the problem names the reason', async () => {
    const denied = "echo 'gpioset: error setting the GPIO line values: Permission denied' >&2; exit 1"
    tools.install('gpioset', `[ "$1" = --version ] && echo 'gpioset (libgpiod) v1.6.3' && exit 0; ${denied}`)
    expect(await powerCycle(pin('/dev/serial0=gpiochip0:4'))).toBe(
      'line 4 of gpiochip0 was not switched: gpioset: error setting the GPIO line values: Permission denied',
    )
  })
})

// Skipped if /usr/sbin/uhubctl exists, because these tests would find the real program.
describe.skipIf(existsSync('/usr/sbin/uhubctl'))('a USB socket', () => {
  test('a USB socket is switched by uhubctl', async () => {
    tools.install('uhubctl', 'exit 0')
    expect(await powerCycle(socket)).toBe('port 3 of USB hub 1-1 was off for 5 s')
    expect(tools.calls('uhubctl')).toEqual(['--location 1-1 --ports 3 --action cycle --delay 5'])
  })

  test('a USB socket is not switched if the hub cannot switch its sockets', async () => {
    tools.install('uhubctl', "echo 'No compatible devices detected at location 1-1!' >&2; exit 1")
    expect(await powerCycle(socket)).toBe(
      'port 3 of USB hub 1-1 was not switched: No compatible devices detected at location 1-1!',
    )
  })

  test('a USB socket is not switched without uhubctl, and the problem names the command that installs uhubctl', async () => {
    expect(await powerCycle(socket)).toBe('uhubctl is not installed: sudo apt install uhubctl')
  })
})

describe('the setting', () => {
  test.each([
    ['1-1.3', { kind: 'hub', location: '1-1', port: '3' }],
    ['3-2.4.1', { kind: 'hub', location: '3-2.4', port: '1' }],
    ['1-2', { kind: 'hub', location: '1', port: '2' }],
  ])('finds the hub of the USB device %s', (path, how) => {
    const usb = { id: '2c7c:0125', path, session: 's' }
    expect(powerSwitchOf(readPowerSetting('usb'), { key: `usb:${path}`, usb })).toEqual(how)
    expect(powerSwitchOf(readPowerSetting(undefined), { key: `usb:${path}`, usb })).toBeUndefined()
  })

  test('uses the GPIO line of a modem rather than its USB socket', () => {
    const usb = { id: '1e0e:9001', path: '1-1.3', session: 's' }
    const setting = readPowerSetting('usb, /dev/serial0=gpiochip0:4')
    expect(powerSwitchOf(setting, { key: '/dev/serial0', usb })).toMatchObject({ kind: 'gpio' })
    expect(powerSwitchOf(setting, { key: '/dev/ttyS1', usb: undefined })).toBeUndefined()
  })

  test.each([
    'on',
    '/dev/serial0',
    '/dev/serial0=4',
    '/dev/serial0=gpiochip0:4:high',
    '/dev/serial0=gpiochip0:4:30000',
  ])('refuses %j', (text) => {
    expect(() => readPowerSetting(text)).toThrow(/^POWER_CYCLE: ".*" must be "usb" or /)
  })
})

describe('doctor', () => {
  const check = async (text: string) =>
    (await checkPowerCycle(readPowerSetting(text), ['/dev/serial0'])).map(({ level, text: found }) => [level, found])

  test('checks nothing without the setting', async () => {
    expect(await check('')).toEqual([])
  })

  test('names missing tools, and ports that MODEMS does not list', async () => {
    expect(await check('/dev/serial0=gpiochip0:4,/dev/ttyS7=gpiochip0:5')).toEqual([
      ['fail', 'gpioset is not installed'],
      ['fail', 'POWER_CYCLE names /dev/ttyS7, which MODEMS does not list'],
    ])
  })

  const place = { ports: ['/dev/serial0'], key: '/dev/serial0', isPresent: true, isHidden: false, isCertain: true }
  const stick = { ...place, key: 'usb:1-1.3', usb: { id: '2c7c:0125', path: '1-1.3', session: 's' } }
  const silent = { status: { port: '/dev/serial0' }, blocked: undefined }
  const hung = { words: '', advice: '', reason: 'no-answer' } as const
  const setting = readPowerSetting('usb,/dev/serial0=gpiochip0:4')

  test('offers to switch a silent modem off and on, and switches nothing itself', async () => {
    tools.install('gpioset', gpioset('2.2.1'))
    tools.install('uhubctl', "echo 'Current status for hub 1-1 [2109:2817 USB2.0 Hub, USB 2.10, 4 ports, ppps]'")
    const serial = await powerCycleFix(silent, setting, [{ ...place, usb: undefined }], [])
    expect(serial?.commands).toEqual([['gpioset', '--chip', 'gpiochip0', '--toggle', '1500ms,0', '4=1']])
    const usb = await powerCycleFix({ ...silent, blocked: hung }, setting, [stick], [])
    expect(usb?.commands).toEqual(['uhubctl --location 1-1 --ports 3 --action cycle --delay 5'.split(' ')])
    expect([...tools.calls('gpioset'), ...tools.calls('uhubctl')]).toEqual(['--version', ''])
  })

  test.each([
    ['answers', { status: { port: '/dev/serial0', model: 'EC25' }, blocked: undefined }, setting, []],
    ['only needs a PIN', { ...silent, blocked: { ...hung, reason: 'pin-required' } as const }, setting, []],
    ['POWER_CYCLE does not name', silent, readPowerSetting(undefined), []],
    ['has a port that cannot be used', silent, setting, [failFinding('port /dev/serial0', 'in use', 'stop it')]],
  ])('does not offer to switch off and on a modem that %s', async (_name, modem, power, findings) => {
    tools.install('gpioset', gpioset('2.2.1'))
    expect(await powerCycleFix(modem, power, [{ ...place, usb: undefined }], findings)).toBeUndefined()
  })

  test('offers nothing without the tool, or with a hub that cannot switch', async () => {
    expect(await powerCycleFix(silent, setting, [{ ...place, usb: undefined }], [])).toBeUndefined()
    tools.install('uhubctl', "echo 'No compatible devices detected!' >&2; exit 1")
    expect(await powerCycleFix(silent, setting, [stick], [])).toBeUndefined()
  })

  test('names the version of gpioset and the hubs that can switch, and switches nothing', async () => {
    tools.install('gpioset', gpioset('2.2.1'))
    tools.install('uhubctl', "echo 'Current status for hub 1-1 [2109:2817 USB2.0 Hub, USB 2.10, 4 ports, ppps]'")
    expect(await check('usb,/dev/serial0=gpiochip0:4')).toEqual([
      ['ok', 'gpioset of libgpiod 2'],
      ['ok', 'uhubctl switches the sockets of 1-1'],
    ])
    expect(tools.calls('gpioset')).toEqual(['--version'])
    expect(tools.calls('uhubctl')).toEqual([''])
  })
})
