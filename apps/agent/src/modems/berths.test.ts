import { afterEach, describe, expect, test } from 'vitest'
import { type Behind, VirtualFleet } from '../testing/virtual-fleet.ts'

const imeiA = '356938035648091'
const imeiB = '356938035648182'
/** Says OK to everything, as some ports of modems do, and some things that are none. */
const yesSayer = { answer: (text: string) => (text.includes('\r') ? '\r\nOK\r\n' : '') }
const deaf = { answer: () => '' }

let world = new VirtualFleet()
afterEach(async () => {
  const stopped = world.fleet?.stop()
  await world.pass(5_000)
  await stopped
  world = new VirtualFleet()
})

describe('the port that is used', () => {
  test('is one that tells who is there; one that says OK to everything is none', async () => {
    world.plug('1-1', [yesSayer, deaf, world.modem(imeiA)])
    await world.start()
    await world.pass(20_000)
    expect(world.ready).toEqual(['1 on 1-1:2'])
  })

  test('is waited for while a modem starts', async () => {
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

test('a modem that hangs is opened anew at once, without asking again who it is', async () => {
  const modem = world.modem(imeiA)
  world.plug('1-1', [modem, deaf])
  await world.start()
  await world.pass(20_000)
  modem.faults.set('modem-hang', {})
  world.opened.length = 0
  await world.pass(600_000)
  expect(new Set(world.opened)).toEqual(new Set(['1-1:0']))
})

describe('what opens and does not answer', () => {
  test('and may be something else is asked a few times, left alone, and told of with what to do', async () => {
    world.plug('1-1', [yesSayer], { isCertain: false })
    await world.start()
    await world.pass(200_000)
    expect(world.unusable).toEqual([expect.stringContaining('name its port: MODEMS=1-1:0')])
    const times = world.opened.length
    expect(times).toBe(4)
    await world.pass(600_000)
    expect(world.opened).toHaveLength(times)
    expect(world.written.filter((line) => /CFUN|\^RESET|ATZ/.test(line))).toEqual([])
    expect(world.fleet?.health).toEqual([])
    // Plugged in anew it may be another device.
    world.unplug('1-1')
    await world.pass(5_000)
    world.plug('1-1', [world.modem(imeiA)], { isCertain: false })
    await world.pass(30_000)
    expect(world.ready).toEqual(['1 on 1-1:0'])
  })

  test('in the socket of a modem that is known is not taken for it when it is another kind of device', async () => {
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

test('a modem that never answers, and leaves the bus at each reset, is not reset for ever', async () => {
  let resets = 0
  const broken: Behind = {
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

test('a port whose opening never ends does not take the threads of the others', async () => {
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

describe('sticks whose maker gave all of them one IMEI', () => {
  test('are told apart by their sockets, and keep their numbers', async () => {
    const [first, other] = [world.modem(imeiA, '0001'), world.modem(imeiA, '0002')]
    world.plug('1-1', [first])
    world.plug('1-2', [other])
    await world.start()
    await world.pass(20_000)
    expect(world.ready).toEqual(['1 on 1-1:0', '2 on 1-2:0'])
    const stopped = world.fleet?.stop()
    await world.pass(5_000)
    await stopped
    // The other one first.
    world.unplug('1-1')
    await world.start()
    await world.pass(20_000)
    world.plug('1-1', [first])
    await world.pass(20_000)
    expect(world.ready).toEqual(['1 on 1-1:0', '2 on 1-2:0'])
  })

  test('are not seen where one modem has moved', async () => {
    const modem = world.modem(imeiA)
    world.plug('1-1', [modem])
    await world.start()
    await world.pass(20_000)
    world.unplug('1-1')
    world.plug('1-2', [modem])
    await world.pass(20_000)
    expect(world.ready).toEqual(['1 on 1-2:0'])
    // Gone from the bus, while its port is not known to be lost yet.
    world.places.delete('1-2')
    world.plug('1-3', [modem])
    await world.pass(20_000)
    expect(world.fleet?.simNumbers).toEqual([1])
  })
})

test('a modem that is unplugged for good leaves its number to itself', async () => {
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
  ['is told of', true, 1_000],
  ['nobody tells of', false, 4_000],
])('one that is plugged in again after hours, which %s, is back at once', async (_, isWatched, withinMs) => {
  world.isWatched = isWatched
  const modem = world.modem(imeiA)
  world.plug('1-1', [modem])
  await world.start()
  await world.pass(20_000)
  world.unplug('1-1')
  await world.pass(3_600_000)
  expect(world.told).toEqual([expect.stringContaining('ERROR 1-1:0')])
  world.plug('1-1', [modem])
  await world.pass(withinMs)
  expect(world.ready).toEqual(['1 on 1-1:0'])
  expect(world.told.at(-1)).toContain('it works again')
})
