import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkModeSwitch } from '../../doctor/checks/check-mode-switch.ts'
import { devices, type FakeDevice, FakeMachine, type FakeTty } from '../../testing/fake-machine.ts'
import { findPlaces } from './find-places.ts'
import { shareRules, udevRecord, udevRules } from './udev-rules.ts'
import { readUsbBus } from './usb-bus.ts'

/** Returns the reason why udev cannot be tested on this machine; undefined if it can be tested. */
function whyNot(): string | undefined {
  if (spawnSync('udevadm', ['--version']).status !== 0) return 'udevadm is not installed'
  const folders = ['/etc/udev/rules.d', '/usr/lib/udev/rules.d/60-serial.rules']
  const missing = folders.find((path) => !existsSync(path))
  if (missing !== undefined) return `${missing} is missing`
  return spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0
    ? undefined
    : 'unshare cannot create a mount namespace'
}

const reason = whyNot()

let fake: FakeMachine

beforeEach(() => {
  fake = new FakeMachine()
})
afterEach(() => fake.remove())

describe.skipIf(reason !== undefined)(`udev with these rules${reason === undefined ? '' : ` (${reason})`}`, () => {
  test('makes ModemManager ignore only the second command port, so that the agent alone uses this port', async () => {
    plug('1-1.2', { 2: { name: 'ttyUSB2' }, 3: { name: 'ttyUSB3' } })
    plug('1-1.3', { 2: { name: 'ttyUSB4' }, 3: { name: 'ttyUSB5' } })
    const { places } = await find()
    const shared = places.filter(({ usb }) => usb?.path === '1-1.2')
    runUdev(shareRules(shared, await readUsbBus(fake.machine.sysfs)))
    expect((await find()).places.map(({ usb, ports, isShared }) => [usb?.path, isShared, ports.length])).toEqual([
      ['1-1.2', true, 1],
      ['1-1.3', undefined, places[1]?.ports.length],
    ])
    expect((await find()).places[0]?.ports).toEqual([fake.port('ttyUSB3')])
    expect(powerControlOf('1-1.2')).toBe('on')
  })

  test("repeats the events of a disk's first interface, because the rule of usb_modeswitch for Huawei sticks matches this interface", async () => {
    plug('1-1.2', {}, devices.e3372Disk)
    plug('1-1.3', {}, devices.e3372Disk)
    const [finding] = await checkModeSwitch(fake.machine.sysfs, [import.meta.filename])
    const command = finding?.fix?.commands[0]
    const sysfs = `mount --bind ${fake.machine.sysfs} /sys`
    const stdout = runInNamespace([sysfs, `${(command as readonly string[]).join(' ')} --verbose --dry-run`])
    expect(stdout.trim().split('\n')).toEqual([
      '/sys/devices/pci0000:00/usb1/1-1.2',
      '/sys/devices/pci0000:00/usb1/1-1.2/1-1.2:1.0',
    ])
  })

  test('makes ModemManager ignore one of two equal modems, and prevents the suspension of this modem', async () => {
    plug('1-1.2', { 2: { name: 'ttyUSB2' } })
    plug('1-1.3', { 2: { name: 'ttyUSB4' } })
    const { places } = await find()
    runUdev(udevRules(places.slice(1)))
    const ignored = places.map(({ usb }) => {
      const record = usb === undefined ? '' : udevRecord(usb, fake.machine.udev)
      return existsSync(record) && readFileSync(record, 'utf8').includes('E:ID_MM_DEVICE_IGNORE=1')
    })
    expect(ignored).toEqual([false, true])
    expect(['1-1.2', '1-1.3'].map(powerControlOf)).toEqual(['', 'on'])
  })
})

const find = () => findPlaces({ auto: true, addresses: [] }, fake.machine)
const folderOf = (path: string) => join(fake.machine.sysfs, 'devices/pci0000:00/usb1', path)
const powerControlOf = (path: string) => readFileSync(join(folderOf(path), 'power/control'), 'utf8').trim()

let ttys = 0

/** Connects a modem with everything that udev reads about it. */
function plug(path: string, ports: Readonly<Record<number, FakeTty>>, device: FakeDevice = devices.ec25): void {
  fake.plug(device, path, ports)
  const folder = folderOf(path)
  mkdirSync(join(folder, 'power'))
  // Removes the old text first. Otherwise the end of a longer old text would remain, because this is not a file of the
  // kernel.
  writeFileSync(join(folder, 'power/control'), '')
  const number = Number(readFileSync(join(folder, 'devnum'), 'utf8'))
  const name = `bus/usb/001/${String(number).padStart(3, '0')}`
  describeToUdev(folder, 'bus/usb', { MAJOR: 189, MINOR: number - 1, DEVNAME: name, DEVTYPE: 'usb_device' })
  for (const each of readdirSync(folder).filter((entry) => entry.startsWith(`${path}:`))) {
    describeToUdev(join(folder, each), 'bus/usb', { DEVTYPE: 'usb_interface' })
  }
  for (const [interfaceNumber, { name }] of Object.entries(ports)) {
    const port = join(folder, `${path}:1.${interfaceNumber}`, name)
    const minor = ttys++
    describeToUdev(port, 'bus/usb-serial', {})
    describeToUdev(join(port, 'tty', name), 'class/tty', { MAJOR: 188, MINOR: minor, DEVNAME: name })
    writeFileSync(join(port, 'tty', name, 'dev'), `188:${minor}\n`)
    const ttyClass = join(fake.machine.sysfs, 'class/tty')
    symlinkSync(relative(ttyClass, join(port, 'tty', name)), join(ttyClass, name))
  }
}

function describeToUdev(
  folder: string,
  subsystem: string,
  properties: Readonly<Record<string, string | number>>,
): void {
  const target = join(fake.machine.sysfs, subsystem)
  mkdirSync(target, { recursive: true })
  symlinkSync(relative(folder, target), join(folder, 'subsystem'))
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(folder, 'uevent'), lines.join(''))
}

/**
 * Applies these rules to all devices, as udev does when it starts. The machine's own devices and rules do not change.
 */
function runUdev(rules: string): void {
  const { sysfs, udev } = fake.machine
  const [own, run, dev] = ['rules', 'run', 'empty-dev'].map((name) => join(fake.folder, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [own, join(run, 'udev/data'), dev, udev]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(own, '70-smsgw.rules'), rules)
  writeFileSync(join(dev, 'null'), '')
  const devicePaths = ['1-1.2', '1-1.3'].flatMap((path) => [
    folderOf(path),
    ...readdirSync(join(sysfs, 'class/tty')).map((tty) => join(sysfs, 'class/tty', tty)),
  ])
  const inside = new Set(devicePaths.map((path) => path.replace(sysfs, '/sys')))
  runInNamespace([
    `mount --bind ${udev} ${join(run, 'udev/data')}`,
    `mount --bind /dev/null ${join(dev, 'null')}`,
    ...[
      [sysfs, '/sys'],
      [own, '/etc/udev/rules.d'],
    ].map(([from, to]) => `mount --bind ${from} ${to}`),
    `mount --rbind ${run} /run`,
    // Mounts /dev here too, because the folder of this test may be in /dev/shm.
    `mount --rbind ${dev} /dev`,
    ...[...inside].map((path) => `udevadm test --action=add $(readlink -f ${path}) 2>&1`),
  ])
}

/**
 * Runs these shell lines in a mount namespace, so that their mounts do not affect the machine. Returns their output.
 */
function runInNamespace(lines: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    ['--map-root-user', '--mount', 'sh', '-c', ['set -e', ...lines].join('\n')],
    {
      encoding: 'utf8',
      env: { ...process.env, SYSTEMD_DEVICE_VERIFY_SYSFS: '0' },
      timeout: 120_000,
    },
  )
  expect(status, stderr + stdout.slice(-2_000)).toBe(0)
  return stdout
}
