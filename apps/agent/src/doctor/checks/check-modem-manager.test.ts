import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { devices, FakeMachine } from '../../testing/fake-machine.ts'
import { checkPorts } from './check-ports.ts'

let fake: FakeMachine

beforeEach(() => {
  fake = new FakeMachine()
})
afterEach(() => fake.remove())

const auto = { auto: true, addresses: [] }
const find = async (wanted: Parameters<typeof checkPorts>[0] = auto) => checkPorts(wanted, undefined, fake.machine)
const fixes = async (wanted?: Parameters<typeof checkPorts>[0]) => (await find(wanted)).flatMap(({ fix }) => fix ?? [])

const twoPorts = (path: string, first: number) =>
  fake.plug(devices.ec25, path, {
    2: { name: `ttyUSB${first}`, leadsTo: '/dev/null' },
    3: { name: `ttyUSB${first + 1}`, leadsTo: '/dev/null' },
  })
const onePort = (path: string, tty: string) =>
  fake.plug(devices.zteMf190, path, { 2: { name: tty, leadsTo: '/dev/null' } })

/** Writes a property of a device into the database of udev. */
function record(name: string, property: string): void {
  mkdirSync(fake.machine.udev, { recursive: true })
  writeFileSync(join(fake.machine.udev, name), `E:${property}\n`)
}

/** Adds a rule that makes ModemManager ignore only this port. */
function share(tty: string): void {
  const folder = join(fake.machine.sysfs, 'class/tty', tty)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'dev'), '188:3\n')
  record('c188:3', 'ID_MM_PORT_IGNORE=1')
}

test('names the second command port of a modem', async () => {
  twoPorts('1-1.2', 2)
  const values = { port: fake.port('ttyUSB2'), second: fake.port('ttyUSB3') }
  expect((await find()).map(({ meaning }) => meaning)).toContainEqual({ code: 'port.second', values })
  expect(await fixes()).toEqual([])
})

test('offers to share a modem with two command ports if ModemManager may take over the modem', async () => {
  twoPorts('1-1.2', 2)
  fake.run('ModemManager')
  expect(await fixes()).toEqual([
    {
      about: expect.stringContaining('share 2c7c:0125 at 1-1.2 with ModemManager'),
      commands: [expect.stringMatching(/udev-rules --share \| sudo tee .* && sudo udevadm control --reload$/)],
    },
  ])
})

test('offers the same fix for the port that ModemManager has opened', async () => {
  twoPorts('1-1.2', 2)
  fake.run('ModemManager', ['/dev/null'])
  const found = await find()
  const fixOf = (code: string) => found.find(({ meaning }) => meaning.code === code)?.fix
  expect(fixOf('port.manager')).toBeDefined()
  expect(fixOf('port.manager')).toEqual(fixOf('manager.takes'))
})

test.each([
  ['has one command port', () => onePort('1-1.3', 'ttyUSB9')],
  ['is shared by no rule, beside one that cannot be shared', () => [twoPorts('1-1.2', 2), onePort('1-1.3', 'ttyUSB9')]],
])('offers to make ModemManager ignore a modem that %s', async (_name, plug) => {
  plug()
  fake.run('ModemManager')
  const [fix, ...more] = await fixes()
  expect(more).toEqual([])
  expect(fix?.about).toContain('make ModemManager ignore')
  expect(fix?.commands).toEqual([expect.stringMatching(/udev-rules \| sudo tee/)])
})

test('offers to make ModemManager ignore a modem whose port MODEMS names, because sharing would leave another port to the gateway', async () => {
  twoPorts('1-1.2', 2)
  fake.run('ModemManager')
  const [fix] = await fixes({ auto: false, addresses: [fake.port('ttyUSB2')] })
  expect(fix?.about).toContain('make ModemManager ignore')
})

test('reports that ModemManager shares a modem, and offers no fix that would end the sharing', async () => {
  twoPorts('1-1.2', 2)
  share('ttyUSB3')
  fake.run('ModemManager')
  const values = { ports: fake.port('ttyUSB3') }
  expect((await find()).map(({ meaning }) => meaning)).toContainEqual({ code: 'manager.shares', values })
  onePort('1-1.3', 'ttyUSB9')
  expect((await find()).map(({ meaning }) => meaning.code)).toContain('manager.takes')
  expect(await fixes()).toEqual([])
})

test('offers no fix if ModemManager already ignores the modem', async () => {
  twoPorts('1-1.2', 2)
  record('c189:0', 'ID_MM_DEVICE_IGNORE=1')
  fake.run('ModemManager')
  expect((await find()).map(({ meaning }) => meaning.code)).toContain('manager.ignores')
  expect(await fixes()).toEqual([])
})
