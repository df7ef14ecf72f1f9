import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { devices, type FakeDevice, FakeMachine } from '../../testing/fake-machine.ts'
import { findPlaces } from './find-places.ts'

let fake: FakeMachine

beforeEach(() => {
  fake = new FakeMachine()
})
afterEach(() => fake.remove())

const find = (addresses: readonly string[] = [], auto = addresses.length === 0) =>
  findPlaces({ auto, addresses }, fake.machine)

/** Plugs in a device. As in the kernel, every interface with a serial driver gets a port, numbered from `first` on. */
function plug(device: FakeDevice, path: string, first = 0): void {
  const ttys: Record<number, { name: string }> = {}
  let next = first
  device.interfaces.forEach(({ driver }, number) => {
    if (driver === 'option' || driver === 'ch341') ttys[number] = { name: `ttyUSB${next++}` }
  })
  if (device.interfaces[0]?.driver === 'cdc_acm') ttys[0] = { name: `ttyACM${first}` }
  fake.plug(device, path, ttys)
  for (const { name } of Object.values(ttys)) writeFileSync(fake.port(name), '')
}

const names = (ports: readonly string[] | undefined) =>
  ports?.map((port) => port.replace(`${fake.machine.devices}/`, ''))

describe('returns the command ports of a modem, best first', () => {
  test.each([
    ['EC25', devices.ec25, ['ttyUSB2', 'ttyUSB3']],
    ['SIM7600', devices.sim7600, ['ttyUSB2', 'ttyUSB3']],
    ['E3372 with stick firmware', devices.e3372Stick, ['ttyUSB0', 'ttyUSB1']],
    ['E173, whose classes tell nothing', devices.e173, ['ttyUSB2', 'ttyUSB0', 'ttyUSB1']],
    ['ZTE MF190', devices.zteMf190, ['ttyUSB2', 'ttyUSB1', 'ttyUSB0']],
  ])('%s', async (_, device, ports) => {
    plug(device, '1-1.2')
    const { places, unusable } = await find()
    expect(places).toMatchObject([{ key: 'usb:1-1.2', isPresent: true, isCertain: true, usb: { id: device.id } }])
    expect(names(places[0]?.ports)).toEqual(ports)
    expect(unusable).toEqual([])
  })
})

test.each([
  ['of an EC25 the two in the table', devices.ec25, ['ttyUSB2', 'ttyUSB3']],
  ['of an E173, whose classes tell nothing, the first', devices.e173, ['ttyUSB2']],
])('certainly take commands: %s', async (_, device, ports) => {
  plug(device, '1-1.2')
  const { places } = await find()
  expect(names(places[0]?.commandPorts)).toEqual(ports)
})

test('uses only the port of a shared modem that ModemManager ignores', async () => {
  plug(devices.ec25, '1-1.2')
  const { sysfs, udev = '' } = fake.machine
  mkdirSync(join(sysfs, 'class/tty/ttyUSB3'), { recursive: true })
  writeFileSync(join(sysfs, 'class/tty/ttyUSB3/dev'), '188:3\n')
  mkdirSync(udev)
  writeFileSync(join(udev, 'c188:3'), 'E:ID_MM_PORT_IGNORE=1\n')
  const [place] = (await find()).places
  expect(place?.isShared).toBe(true)
  expect([names(place?.ports), names(place?.commandPorts)]).toEqual([['ttyUSB3'], ['ttyUSB3']])
})

test('two identical sticks are two places', async () => {
  plug(devices.zteMf190, '1-1.2', 0)
  plug(devices.zteMf190, '1-1.3', 3)
  const { places } = await find()
  expect(places.map(({ key, ports }) => [key, names(ports)?.[0]])).toEqual([
    ['usb:1-1.2', 'ttyUSB2'],
    ['usb:1-1.3', 'ttyUSB5'],
  ])
})

test('a device that is plugged in again is the same place with a new session', async () => {
  plug(devices.ec25, '1-1.2')
  const [before] = (await find()).places
  fake.unplug('1-1.2')
  plug(devices.ec25, '1-1.2', 4)
  const [after] = (await find()).places
  expect(after?.key).toBe(before?.key)
  expect(after?.usb?.session).not.toBe(before?.usb?.session)
  expect(names(after?.ports)).toEqual(['ttyUSB6', 'ttyUSB7'])
})

describe('explains why a device that looks like a modem cannot be used', () => {
  test.each([
    ['HiLink', devices.e3372HiLink, 'HiLink firmware'],
    ['another network card', devices.zteNetworkCard, 'in network card mode'],
    ['storage mode', devices.e3372Disk, 'Install the package usb-modeswitch'],
    ['data alone', devices.mbimOnly, 'MBIM or QMI'],
    ['no driver', devices.withoutDriver, 'echo 2c7c 6007 | sudo tee /sys/bus/usb-serial/drivers/option1/new_id'],
    ['a serial adapter', devices.ch340, 'MODEMS=/dev/ttyUSB0'],
  ])('%s', async (_, device, problem) => {
    plug(device, '1-1.2')
    const { places, unusable } = await find()
    expect(places).toEqual([])
    expect(unusable).toEqual([expect.stringContaining(problem)])
    expect(unusable[0]).toContain(`USB device ${device.id} at 1-1.2`)
  })
})

describe('a HiLink stick with a network interface', () => {
  const [card, ...others] = devices.e3372HiLink.interfaces
  const stick = { ...devices.e3372HiLink, interfaces: [{ ...card, network: 'eth1' }, ...others] }

  test('a HiLink stick with a network interface is found at the first address of its network', async () => {
    fake.plug(stick, '1-1.2')
    fake.addresses['eth1'] = [
      { family: 'IPv6', address: 'fe80::1', netmask: 'ffff:ffff:ffff:ffff::' },
      { family: 'IPv4', address: '192.168.8.100', netmask: '255.255.255.0' },
    ]
    expect(await find()).toMatchObject({
      places: [{ key: 'usb:1-1.2', ports: ['hilink://192.168.8.1'], isCertain: true, usb: { id: '12d1:14dc' } }],
      unusable: [],
    })
  })

  test('a HiLink stick with a network interface needs an address on its interface', async () => {
    fake.plug(stick, '1-1.2')
    expect(await find()).toEqual({
      places: [],
      unlisted: [],
      unusable: [expect.stringMatching(/12d1:14dc at 1-1\.2 .*interface eth1 has no IPv4 address.*DHCP/)],
    })
  })

  test('a HiLink stick with an unknown USB id is used only after it has answered', async () => {
    fake.plug({ ...stick, id: '12d1:14fe' }, '1-1.2')
    fake.addresses['eth1'] = [{ family: 'IPv4', address: '10.0.0.2', netmask: '255.255.255.252' }]
    expect((await find()).places).toMatchObject([{ ports: ['hilink://10.0.0.1'], isCertain: false }])
  })
})

test('ignores devices that are not modems', async () => {
  plug(devices.arduino, '1-1.1')
  plug(devices.keyboard, '1-1.2')
  expect(await find()).toEqual({ places: [], unlisted: [], unusable: [] })
})

test('a device that may be something else is not certain', async () => {
  plug(devices.phone, '1-1.1')
  expect((await find()).places).toMatchObject([{ isCertain: false, ports: [fake.port('ttyACM0')] }])
})

test('finds nothing on a machine without USB', async () => {
  const nowhere = { ...fake.machine, sysfs: join(fake.folder, 'none') }
  expect(await findPlaces({ auto: true, addresses: [] }, nowhere)).toEqual({ places: [], unlisted: [], unusable: [] })
})

describe('a port listed in MODEMS', () => {
  test('a port listed in MODEMS is the only port of its device that is used', async () => {
    plug(devices.ec25, '1-1.2')
    const address = fake.port('ttyUSB3')
    expect((await find([address])).places).toEqual([
      {
        key: address,
        ports: [address],
        isPresent: true,
        isHidden: false,
        isCertain: true,
        usb: { id: '2c7c:0125', path: '1-1.2', session: '1:1' },
        position: 1,
      },
    ])
  })

  test('a port listed in MODEMS is followed through links', async () => {
    plug(devices.ec25, '1-1.2')
    mkdirSync(join(fake.machine.devices, 'serial/by-id'), { recursive: true })
    const link = fake.port('serial/by-id/usb-Quectel_EG25-G-if02-port0')
    symlinkSync('../../ttyUSB2', link)
    const own = join(fake.folder, 'modem')
    symlinkSync(link, own)
    expect((await find([own])).places).toMatchObject([{ key: own, ports: [own], usb: { path: '1-1.2' } }])
  })

  test('a port listed in MODEMS is a place without a modem if the port does not exist', async () => {
    expect((await find([fake.port('ttyUSB9')])).places).toMatchObject([{ isPresent: false, usb: undefined }])
  })

  test('a port listed in MODEMS is one place, even if it is listed several times', async () => {
    plug(devices.ec25, '1-1.2')
    symlinkSync('ttyUSB2', fake.port('modem'))
    expect((await find([fake.port('ttyUSB2'), fake.port('modem')])).places).toHaveLength(1)
  })

  test('a port listed in MODEMS also represents its whole device if MODEMS contains auto', async () => {
    plug(devices.ec25, '1-1.2', 0)
    plug(devices.sim7600, '1-1.3', 4)
    const { places } = await find([fake.port('ttyUSB2')], true)
    expect(places.map(({ key }) => key)).toEqual([fake.port('ttyUSB2'), 'usb:1-1.3'])
  })

  test('a port listed in MODEMS excludes other modems, but returns them as unlisted, in case the listed port was renamed', async () => {
    plug(devices.ec25, '1-1.2', 0)
    plug(devices.ec25, '1-1.3', 4)
    const { places, unlisted } = await find([fake.port('ttyUSB2')])
    expect(places).toHaveLength(1)
    expect(unlisted.map(({ key }) => key)).toEqual(['usb:1-1.3'])
  })

  test('a TCP port listed in MODEMS must be opened to find out whether a modem is connected', async () => {
    expect((await find(['tcp://modems.example:7001'])).places).toMatchObject([{ isPresent: true, isHidden: true }])
  })
})
