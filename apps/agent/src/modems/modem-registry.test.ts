import { afterEach, describe, expect, test } from 'vitest'
import { type PortDevice, VirtualFleet } from '../testing/virtual-fleet.ts'

const imeiA = '356938035648091'
const imeiB = '356938035648182'
/** Answers OK to everything, like some ports of modems and some devices that are not modems. */
const yesSayer = { answer: (text: string) => (text.includes('\r') ? '\r\nOK\r\n' : '') }
const deaf = { answer: () => '' }

let world = new VirtualFleet()
afterEach(async () => {
  const stopped = world.fleet?.stop()
  await world.pass(5_000)
  await stopped
  world = new VirtualFleet()
})

describe('the port in use', () => {
  test('the port in use is a port that identifies its modem, not one that answers OK to everything', async () => {
    world.plug('1-1', [yesSayer, deaf, world.modem(imeiA)])
    await world.start()
    await world.pass(20_000)
    expect(world.ready).toEqual(['1 on 1-1:2'])
  })

  test('the port in use is found only after the modem has started', async () => {
    const modem = world.modem(imeiA)
    modem.powerOff()
    world.plug('1-1', [modem])
    await world.start()
    await world.pass(5_000)
    expect(world.ready).toEqual([])
    modem.plug()
    await world.pass(60_000)
    expect(world.ready).toEqual(['1 on 1-1:0'])
  })
})

test('the port in use is reopened at once if the modem hangs, without identifying the modem again', async () => {
  const modem = world.modem(imeiA)
  world.plug('1-1', [modem, deaf])
  await world.start()
  await world.pass(20_000)
  modem.faults.set('modem-hang', {})
  world.opened.length = 0
  await world.pass(600_000)
  expect(new Set(world.opened)).toEqual(new Set(['1-1:0']))
})

describe('a device that does not answer', () => {
  test('a device that does not answer and may not be a modem is probed a few times, then reported with a solution and not probed again', async () => {
    world.plug('1-1', [yesSayer], { isCertain: false })
    await world.start()
    await world.pass(200_000)
    expect(world.unusable).toEqual([expect.stringContaining('set MODEMS=1-1:0')])
    const times = world.opened.length
    expect(times).toBe(4)
    await world.pass(600_000)
    expect(world.opened).toHaveLength(times)
    expect(world.written.filter((line) => /CFUN|\^RESET|ATZ/.test(line))).toEqual([])
    expect(world.fleet?.health).toEqual([])
    // Replaces the device, because the next device in this socket may be another device.
    world.unplug('1-1')
    await world.pass(5_000)
    world.plug('1-1', [world.modem(imeiA)], { isCertain: false })
    await world.pass(30_000)
    expect(world.ready).toEqual(['1 on 1-1:0'])
  })

  test('a device that does not answer and has another model is not mistaken for the previous modem in this socket', async () => {
    const modem = world.modem(imeiA)
    world.plug('1-1', [modem])
    await world.start()
    await world.pass(20_000)
    world.unplug('1-1')
    await world.pass(5_000)
    world.plug('1-1', [deaf], { id: '12d1:1506' })
    world.written.length = 0
    await world.pass(60_000)
    expect(world.written.filter((line) => line.includes('CFUN'))).toEqual([])
    expect(world.fleet?.actorOf(1)?.health.state).toMatchObject({ name: 'absent' })
  })
})

test('a device that never answers and disconnects at each reset is reset a limited number of times', async () => {
  let resets = 0
  const broken: PortDevice = {
    answer: (text) => {
      if (text.includes('CFUN=1,1')) {
        resets += 1
        world.unplug('1-1')
        world.clock.after(8_000, () => world.plug('1-1', [broken]))
      }
      return ''
    },
  }
  world.plug('1-1', [broken])
  await world.start()
  await world.pass(4 * 3_600_000)
  expect(resets).toBe(3)
  world.unplug('1-1')
  await world.pass(120_000)
  expect(world.fleet?.health).toEqual([])
})

test('a port that hangs while opening does not block the threads of other ports', async () => {
  world.plug('1-1', [deaf])
  world.plug('1-2', [world.modem(imeiB)])
  let hanging = 0
  world.openInstead = (address) => {
    if (address !== '1-1:0') return undefined
    hanging += 1
    return new Promise(() => undefined)
  }
  await world.start()
  await world.pass(300_000)
  expect(hanging).toBe(1)
  expect(world.ready).toEqual(['1 on 1-2:0'])
})

test.each([
  ['probed as an unknown device', '1-2', false],
  ['identified as another modem', '1-1', true],
])('a modem that is %s when the agent stops is not used any more', async (_, socket, isCertain) => {
  world.plug('1-1', [world.modem(imeiA)])
  await world.start()
  await world.pass(20_000)
  world.unplug('1-1')
  world.sending.clear()
  world.written.length = 0
  world.plug(socket, [world.modem(imeiB)], { isCertain })
  while (!world.written.some((line) => line.includes('AT+CGSN'))) await world.pass(1)
  const stopped = world.fleet?.stop()
  const writtenBefore = world.written.length
  await world.pass(60_000)
  await stopped
  expect(world.written).toHaveLength(writtenBefore)
  expect(world.ready).toEqual([])
})

test('the state of a modem says why its port cannot be opened', async () => {
  world.plug('1-1', [deaf])
  let words = '1-1:0: another program uses this port'
  world.openInstead = async () => ({ kind: 'refused', words })
  await world.start()
  await world.pass(5_000)
  expect(world.fleet?.health).toMatchObject([{ state: { name: 'absent', why: 'another program uses this port' } }])
  words = '1-1:0: no permission'
  await world.pass(300_000)
  expect(world.fleet?.health).toMatchObject([{ state: { name: 'absent', why: 'no permission' } }])
})

test('the second port of a modem that reports its IMEI only after its setup is not opened repeatedly', async () => {
  const modem = world.modem(imeiA)
  world.plug('1-1', [modem])
  await world.start()
  await world.pass(20_000)
  // The driver asks the modem four times when it opens the port.
  modem.faults.set('imei-answer', { line: '', times: 4 })
  world.plug('1-2', [modem])
  const place = world.places.get('1-2')
  if (place !== undefined) world.places.set('1-2', { ...place, usb: undefined })
  const openings = () => world.opened.filter((address) => address === '1-2:0').length
  await world.pass(60_000)
  const before = openings()
  modem.faults.set('imei-answer', { line: '', times: 1_000 })
  await world.pass(200_000)
  expect(openings()).toBe(before)
  const why = 'the same modem is already in use on 1-1:0; list only one of its ports in MODEMS'
  expect(world.fleet?.health).toMatchObject([{ state: { name: 'ready' } }, { state: { name: 'absent', why } }])
  // Answers again from now on, because the device at the port may now be another device.
  modem.faults.clear('imei-answer')
  await world.pass(300_000)
  expect(openings()).toBeGreaterThan(before)
  expect(world.ready).toEqual(['1 on 1-1:0'])
})

test('modems that swapped sockets are used at once, also if one is identified only after its setup', async () => {
  const [one, two] = [world.modem(imeiA), world.modem(imeiB)]
  world.plug('1-1', [one])
  world.plug('1-2', [two])
  await world.start()
  await world.pass(20_000)
  expect(world.ready).toHaveLength(2)
  world.unplug('1-1')
  world.unplug('1-2')
  await world.pass(5_000)
  // The driver asks a modem four times when it opens the port.
  two.faults.set('imei-answer', { line: '', times: 4 })
  world.plug('1-1', [two])
  await world.pass(20_000)
  world.plug('1-2', [one])
  await world.pass(60_000)
  expect([...world.ready].sort()).toEqual(['1 on 1-2:0', '2 on 1-1:0'])
})

describe('sticks that share one IMEI', () => {
  test('sticks that share one IMEI are distinguished by their sockets and keep their SIM numbers', async () => {
    const [first, other] = [world.modem(imeiA, '0001'), world.modem(imeiA, '0002')]
    world.plug('1-1', [first])
    world.plug('1-2', [other])
    await world.start()
    await world.pass(20_000)
    expect(world.ready).toEqual(['1 on 1-1:0', '2 on 1-2:0'])
    const stopped = world.fleet?.stop()
    await world.pass(5_000)
    await stopped
    // The other modem is plugged in first.
    world.unplug('1-1')
    await world.start()
    await world.pass(20_000)
    world.plug('1-1', [first])
    await world.pass(20_000)
    expect(world.ready).toEqual(['1 on 1-1:0', '2 on 1-2:0'])
  })

  test('sticks that share one IMEI are not assumed when one modem has moved to another socket', async () => {
    const modem = world.modem(imeiA)
    world.plug('1-1', [modem])
    await world.start()
    await world.pass(20_000)
    world.unplug('1-1')
    world.plug('1-2', [modem])
    await world.pass(20_000)
    expect(world.ready).toEqual(['1 on 1-2:0'])
    // The modem has left the bus, but the loss of its port is not detected yet.
    world.places.delete('1-2')
    world.plug('1-3', [modem])
    await world.pass(20_000)
    expect(world.fleet?.simNumbers).toEqual([1])
  })
})

test('the SIM number of an unplugged modem is not given to another modem', async () => {
  world.plug('1-1', [world.modem(imeiA)])
  await world.start()
  await world.pass(20_000)
  world.unplug('1-1')
  await world.pass(1_000_000)
  world.plug('1-1', [world.modem(imeiB)])
  await world.pass(20_000)
  expect(world.ready).toEqual(['2 on 1-1:0'])
  expect(world.fleet?.simCards).toMatchObject([
    { simNumber: 1, state: 'absent' },
    { simNumber: 2, state: 'ready' },
  ])
})

test.each([
  ['signalled', true, 1_000],
  ['not signalled', false, 4_000],
])('a modem that is plugged in again after hours, %s, is used at once', async (_, isWatched, withinMs) => {
  world.isWatched = isWatched
  const modem = world.modem(imeiA)
  world.plug('1-1', [modem])
  await world.start()
  await world.pass(20_000)
  world.unplug('1-1')
  await world.pass(3_600_000)
  expect(world.problems).toEqual([expect.stringContaining('ERROR 1-1:0')])
  world.plug('1-1', [modem])
  await world.pass(withinMs)
  expect(world.ready).toEqual(['1 on 1-1:0'])
  expect(world.problems.at(-1)).toContain('works again')
})

describe('a modem without a usable IMEI', () => {
  const withoutImei = { 'imei-answer': { line: '' } }
  const slots = async () =>
    Object.keys((await world.disk.session().journal.read('notes', {}))['sim-slots'] ?? {}).sort()

  test('a modem without a usable IMEI is used, with a warning', async () => {
    world.plug('1-1', [yesSayer, world.modem(imeiA, '8091', withoutImei)])
    await world.start()
    await world.pass(60_000)
    expect(world.ready).toEqual(['1 on 1-1:1'])
    expect(world.problems).toEqual([expect.stringMatching(/^WARN 1-1:1: does not report an IMEI/)])
  })

  test('a modem without a usable IMEI is found on a port that may not be a modem, if it supports messages', async () => {
    world.plug('1-1', [yesSayer, world.modem(imeiA, '8091', withoutImei)], { isCertain: false })
    await world.start()
    await world.pass(60_000)
    expect(world.ready).toEqual(['1 on 1-1:1'])
  })

  test('a modem without a usable IMEI is distinguished from an identical modem by its socket, also after a restart', async () => {
    const one = world.modem(imeiA, '8091', withoutImei)
    const two = world.modem(imeiB, '8182', withoutImei)
    world.plug('1-1', [one])
    await world.start()
    await world.pass(60_000)
    world.plug('1-2', [two])
    await world.pass(60_000)
    expect(world.ready).toEqual(['1 on 1-1:0', '2 on 1-2:0'])
    expect(await slots()).toEqual(['2c7c:0125 at 1-1', '2c7c:0125 at 1-2'])
    await restart(() => {
      world.unplug('1-1')
      world.unplug('1-2')
      world.plug('1-2', [two])
    })
    expect(world.ready).toEqual(['2 on 1-2:0'])
    world.plug('1-1', [one])
    await world.pass(60_000)
    expect(world.ready).toEqual(['1 on 1-1:0', '2 on 1-2:0'])
  })

  test('a modem without a usable IMEI keeps its SIM number in another socket thanks to its USB serial number', async () => {
    const modem = world.modem(imeiA, '8091', withoutImei)
    world.plug('1-1', [modem], { serial: '0123456789' })
    await world.start()
    await world.pass(60_000)
    world.plug('1-3', [world.modem(imeiB)])
    await world.pass(60_000)
    world.unplug('1-1')
    await world.pass(5_000)
    world.plug('1-2', [modem], { serial: '0123456789' })
    await world.pass(60_000)
    expect(world.ready).toEqual(['1 on 1-2:0', '2 on 1-3:0'])
  })

  test('a modem without a usable IMEI is identified by the ten digits that it reports instead of an IMEI, and also by its socket if two modems report the same digits', async () => {
    const tenDigits = { 'imei-answer': { line: '1234567890' } }
    world.plug('1-1', [world.modem(imeiA, '8091', tenDigits)])
    await world.start()
    await world.pass(60_000)
    world.plug('1-2', [world.modem(imeiB, '8182', tenDigits)])
    await world.pass(60_000)
    expect(world.ready).toEqual(['1 on 1-1:0', '2 on 1-2:0'])
    expect(await slots()).toEqual(['serial 1234567890', 'serial 1234567890 at 1-2'])
    expect(world.problems[0]).toMatch(/^WARN 1-1:0: its IMEI is not 14 to 16 digits/)
  })

  test('a modem without a usable IMEI that reports its IMEI late is still identified by its IMEI when its port is opened', async () => {
    // The driver asks the modem four times when it opens the port, and four times during setup.
    world.plug('1-1', [world.modem(imeiA, '8091', { 'imei-answer': { line: '', times: 8 } })])
    await world.start()
    await world.pass(60_000)
    expect(await slots()).toEqual([imeiA.slice(0, 14)])
    expect(world.problems).toEqual([])
  })

  async function restart(meanwhile: () => void): Promise<void> {
    const stopped = world.fleet?.stop()
    await world.pass(5_000)
    await stopped
    world.sending.clear()
    meanwhile()
    await world.start()
    await world.pass(60_000)
  }
})

describe('a modem that departs from the standard is used with a warning', () => {
  test.each([
    ['answers ERROR to a bare AT', { 'at-refused': {} }, 'answers ERROR to a bare AT'],
    ['has no +CMEE', { 'command-refused': { command: '+CMEE' } }, 'does not report error codes'],
    ['has no +CMEE and no +CSCS', { 'command-refused': { command: '+CMEE/+CSCS' } }, 'does not report error codes'],
    ['does not answer AT+CNMI?', { 'command-refused': { command: '+CNMI?' } }, 'no answer to AT+CNMI?'],
    ['does not switch its echo off', { 'echo-stuck': {} }, 'echoes each command'],
  ] as const)('%s', async (_, faults, warning) => {
    world.plug('1-1', [world.modem(imeiA, '8091', faults)])
    await world.start()
    await world.pass(60_000)
    expect(world.ready).toEqual(['1 on 1-1:0'])
    expect(world.problems).toEqual([expect.stringContaining(warning)])
  })

  test('a port that answers OK to everything is not used, and never reset', async () => {
    world.plug('1-1', [world.modem(imeiA, '8091', { 'ok-to-everything': {} })])
    await world.start()
    await world.pass(600_000)
    expect(world.ready).toEqual([])
    expect(world.problems).toEqual([expect.stringContaining('answers OK to everything')])
    expect(world.written.filter((line) => /CFUN=|\^RESET|ATZ/.test(line))).toEqual([])
  })
})
