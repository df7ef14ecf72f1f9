import { afterEach, describe, expect, test } from 'vitest'
import { VirtualFleet } from '../../testing/virtual-fleet.ts'

const imei = '356938035648091'
/** Answers OK to everything, like some ports of modems. */
const yesSayer = { answer: (text: string) => (text.includes('\r') ? '\r\nOK\r\n' : '') }
const deaf = { answer: () => '' }
/** With this fault, all ports of a modem are searched. */
const withoutImei = { 'imei-answer': { line: '' } }

let world = new VirtualFleet()
afterEach(async () => {
  const stopped = world.fleet?.stop()
  await world.pass(5_000)
  await stopped
  world = new VirtualFleet()
})

const pdu = '07914477790000F0040C914477000021430000629021210000000548656C6C6F'
const directly = `\r\n+CMT: ,${pdu.length / 2 - 8}\r\n${pdu}\r\n`

/** Lets ports of the modem deliver a text, once, when the condition is met. */
function deliver(text: string, from: readonly string[], isMoment: (address: string, written: string) => boolean) {
  const hears = new Map<string, (text: string) => void>()
  let isDelivered = false
  world.onWrite = (address, written, hear) => {
    hears.set(address, hear)
    if (isDelivered || !isMoment(address, written)) return
    isDelivered = true
    for (const port of from) hears.get(port)?.(text)
  }
}
const isOtherSearched = (address: string) => address === '1-1:1'

test.each([
  ['while the modem reports its number', (_: string, text: string) => text.startsWith('AT+CGSN'), ['1-1:0']],
  ['while its other port is searched', isOtherSearched, ['1-1:0']],
  ['on both ports', isOtherSearched, ['1-1:0', '1-1:1']],
])('a message that the modem delivers directly %s is received once', async (_, isMoment, from) => {
  world.plug('1-1', [world.modem(imei, '8091', isMoment === isOtherSearched ? withoutImei : {}), deaf])
  deliver(directly, from, isMoment)
  await world.start()
  await world.pass(60_000)
  expect(world.ready).toEqual(['1 on 1-1:0'])
  expect(world.incoming).toEqual([pdu])
})

test('a message that the modem delivers directly on a port that is not chosen is received', async () => {
  world.plug('1-1', [yesSayer, world.modem(imei)])
  deliver(directly, ['1-1:0'], isOtherSearched)
  await world.start()
  await world.pass(60_000)
  expect(world.ready).toEqual(['1 on 1-1:1'])
  expect(world.incoming).toEqual([pdu])
})

test('a message that arrives while a device is probed that may not be a modem is received once', async () => {
  world.plug('1-1', [world.modem(imei)], { isCertain: false })
  deliver(directly, ['1-1:0'], (_, text) => text.startsWith('AT+CGSN'))
  await world.start()
  await world.pass(60_000)
  expect(world.ready).toEqual(['1 on 1-1:0'])
  expect(world.incoming).toEqual([pdu])
})

test('a message of a device that was unplugged is not received by the next device in its socket', async () => {
  world.plug('1-1', [world.modem(imei)], { isCertain: false })
  let isDelivered = false
  deliver(directly, ['1-1:0'], (_, text) => {
    isDelivered ||= text.startsWith('AT+CGSN')
    return isDelivered
  })
  await world.start()
  while (!isDelivered) await world.pass(1)
  world.unplug('1-1')
  world.plug('1-1', [world.modem('356938035648109', '8109')])
  await world.pass(60_000)
  expect(world.ready).toEqual(['1 on 1-1:0'])
  expect(world.incoming).toEqual([])
})

describe('a modem in the socket of another modem', () => {
  const imeiOfOther = '356938035648182'

  /** Plugs modem 2 into the socket of modem 1, where it delivers a message when the agent writes `moment`. */
  async function swap(moment: string, isSilent: boolean): Promise<void> {
    const [one, two] = [world.modem(imei), world.modem(imeiOfOther)]
    world.plug('1-1', [one])
    world.plug('1-2', [two])
    await world.start()
    await world.pass(20_000)
    world.unplug('1-1')
    world.unplug('1-2')
    await world.pass(5_000)
    // The agent asks a modem four times when it opens the port.
    if (isSilent) two.faults.set('imei-answer', { line: '', times: 4 })
    deliver(directly, ['1-1:0'], (_, text) => text.startsWith(moment))
    world.plug('1-1', [two])
    await world.pass(20_000)
    world.plug('1-2', [one])
    await world.pass(60_000)
    expect([...world.ready].sort()).toEqual(['1 on 1-2:0', '2 on 1-1:0'])
  }

  test('a message that arrives while the modem is identified is received once, by the SIM of this modem', async () => {
    await swap('AT+CGSN', false)
    expect(world.recipients).toEqual([2])
    expect(world.incoming).toEqual([pdu])
  })

  test('a message that arrives before the modem is identified is not received by the SIM of the other modem', async () => {
    await swap('AT+CMEE=', true)
    expect(world.recipients).not.toContain(1)
  })
})

test('a device that sends messages without end makes the agent keep a limited number of them', async () => {
  world.plug('1-1', [world.modem(imei, '8091', withoutImei), deaf])
  const numbered = (number: number) => `${pdu.slice(0, -4)}${number}`
  deliver(
    Array.from({ length: 3_000 }, (_, at) => directly.replace(pdu, numbered(1_000 + at))).join(''),
    ['1-1:0'],
    isOtherSearched,
  )
  await world.start()
  await world.pass(60_000)
  expect(world.incoming).toEqual(Array.from({ length: 100 }, (_, at) => numbered(1_000 + at)))
})

test('a message that a second search of the device also hears is received once', async () => {
  const modem = world.modem(imei)
  world.plug('1-1', [modem, modem])
  const place = world.places.get('1-1')
  if (place === undefined) throw new Error('no such place')
  world.places.set('1-1', { ...place, key: 'first', ports: ['1-1:0'] })
  deliver(directly, ['1-1:0', '1-1:1'], (address, text) => address === '1-1:1' && text.startsWith('AT+CGSN'))
  await world.start()
  await world.pass(20_000)
  world.places.set('second', { ...place, key: 'second', ports: ['1-1:1'] })
  await world.pass(60_000)
  expect(world.ready).toEqual(['1 on 1-1:0'])
  expect(world.incoming).toEqual([pdu])
})

test('a message is not received by the SIM of another modem on the same USB adapter', async () => {
  world.plug('1-1', [world.modem(imei), world.modem('356938035648182')])
  const place = world.places.get('1-1')
  if (place === undefined) throw new Error('no such place')
  world.places.set('1-1', { ...place, key: 'first', ports: ['1-1:0'], position: 1 })
  world.places.set('second', { ...place, key: 'second', ports: ['1-1:1'], position: 2 })
  deliver(directly, ['1-1:1'], (address, text) => address === '1-1:1' && text.startsWith('AT+CGSN'))
  await world.start()
  await world.pass(60_000)
  expect(world.ready).toEqual(['1 on 1-1:0', '2 on 1-1:1'])
  expect(world.recipients).toEqual([2])
})

const headerLength = directly.indexOf(pdu)
test.each([
  ['the first letters', 4],
  ['its first line', headerLength],
  ['half of its PDU', headerLength + 20],
])('a message of which only %s arrives before the handover is received once', async (_, length) => {
  world.plug('1-1', [world.modem(imei, '8091', withoutImei), deaf])
  const rest = [directly.slice(0, length), directly.slice(length)]
  let hear: ((text: string) => void) | undefined
  world.onWrite = (address, _written, hearing) => {
    if (address === '1-1:0') hear = hearing
    // The second part arrives when the session writes its first command.
    const isMoment = rest.length === 2 ? isOtherSearched(address) : address === '1-1:0' && rest.length === 1
    if (isMoment) hear?.(rest.shift() ?? '')
  }
  await world.start()
  await world.pass(60_000)
  expect(world.ready).toEqual(['1 on 1-1:0'])
  expect(world.incoming).toEqual([pdu])
})

test('a late answer is not taken for the answer to a later command', async () => {
  world.plug('1-1', [world.modem(imei, '8091', withoutImei), deaf])
  deliver('\r\nOK\r\n\r\n+CMEE: 0\r\n\r\nOK\r\n', ['1-1:0'], isOtherSearched)
  // The modem answers each command after 2 ms.
  const isAsked = () => {
    const handedOverAt = world.written.findLastIndex((line) => line.startsWith('1-1:1'))
    return handedOverAt >= 0 && world.written.indexOf('1-1:0 AT+CMEE?\r', handedOverAt) >= 0
  }
  await world.start()
  for (let ms = 0; ms < 60_000 && !isAsked(); ms += 1) await world.pass(1)
  await world.pass(1)
  expect(world.written.at(-1)).toBe('1-1:0 AT+CMEE?\r')
})
