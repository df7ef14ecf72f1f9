import { afterEach, beforeEach, expect, test } from 'vitest'
import { VirtualFleet } from '../testing/virtual-fleet.ts'
import type { AnsweredUssd, UssdRequest } from './ussd-sessions.ts'

let world: VirtualFleet

beforeEach(async () => {
  world = new VirtualFleet()
  world.network.setUssdMenu('*111#', { text: '1 Balance', choices: { 1: { text: 'You have 3.20' } } })
  world.network.setUssdMenu('*100#', { text: 'Hello' })
  world.plug('1-1', [world.modem('356938035648091')])
  world.plug('1-2', [world.modem('356938035648182')])
  await world.start()
  await world.pass(20_000)
})
afterEach(async () => {
  const stopped = world.fleet?.stop()
  await world.pass(5_000)
  await stopped
})

/** Sends a request and advances the clock by the time that the longest answer may take. */
async function ask(request: UssdRequest, forMs = 1_000): Promise<AnsweredUssd | undefined> {
  let reply: AnsweredUssd | undefined
  void world.fleet?.ussd.ask(request).then((answer) => {
    reply = answer
  })
  await world.pass(forMs)
  return reply
}

const first = '1-1:0'
const cancels = () => world.written.filter((line) => line.startsWith(first) && line.includes('AT+CUSD=2')).length

test('answers a code and frees the SIM', async () => {
  expect(await ask({ code: '*100#', simNumber: 1 })).toEqual({ outcome: 'answered', text: 'Hello', more: false })
  expect(await ask({ code: '*100#' })).toMatchObject({ text: 'Hello' })
})

test('accepts a reply with the session id, once', async () => {
  expect(await ask({ code: '*111#' })).toEqual({
    outcome: 'answered',
    text: '1 Balance',
    more: true,
    sessionId: 'session',
  })
  expect(await ask({ code: '1', sessionId: 'session' })).toMatchObject({ text: 'You have 3.20', more: false })
  expect(await ask({ code: '1', sessionId: 'session' })).toEqual({
    outcome: 'refused',
    reason: 'the session has ended: send the code again',
  })
})

test('allows one session at a time for each SIM', async () => {
  await ask({ code: '*111#', simNumber: 1 })
  expect(await ask({ code: '*100#', simNumber: 1 })).toMatchObject({ outcome: 'busy' })
  expect(await ask({ code: '*100#', simNumber: 2 })).toMatchObject({ outcome: 'answered' })
})

test('ends a session without a reply after a time limit', async () => {
  await ask({ code: '*111#', simNumber: 1 })
  await world.pass(180_000)
  expect(cancels()).toBe(1)
  expect(await ask({ code: '*100#', simNumber: 1 })).toMatchObject({ outcome: 'answered' })
})

test('reports a missing answer after two minutes and frees the SIM', async () => {
  const modem = world.modem('356938035648273')
  modem.faults.set('ussd-lost', { times: 1 })
  world.plug('1-3', [modem])
  await world.pass(20_000)
  expect(await ask({ code: '*100#', simNumber: 3 }, 60_000)).toBeUndefined()
  expect(await ask({ code: '*100#', simNumber: 3 })).toMatchObject({ outcome: 'busy' })
  await world.pass(70_000)
  expect(await ask({ code: '*100#', simNumber: 3 })).toMatchObject({ outcome: 'answered' })
})

test('ends a session when the modem is set up again', async () => {
  await ask({ code: '*111#', simNumber: 1 })
  const modem = world.modem('356938035648091', '8091')
  world.unplug('1-1')
  world.plug('1-1', [modem])
  await world.pass(20_000)
  expect(await ask({ code: '1', sessionId: 'session' })).toMatchObject({ outcome: 'refused' })
  expect(await ask({ code: '*100#', simNumber: 1 })).toMatchObject({ outcome: 'answered' })
})

test('returns no-sim for a SIM that is missing or not ready', async () => {
  expect(await ask({ code: '*100#', simNumber: 7 })).toEqual({ outcome: 'no-sim', reason: 'SIM 7 is not ready' })
  world.unplug('1-1')
  world.unplug('1-2')
  await world.pass(5_000)
  expect(await ask({ code: '*100#' })).toEqual({ outcome: 'no-sim', reason: 'no SIM is ready' })
})

test('cancels a session that the network opened', async () => {
  // A modem reports sessions from the network only after it has been used for USSD.
  await ask({ code: '*100#', simNumber: 1 })
  expect(world.network.sendUssd('+447700980910', 'Buy now?', { expectsAnswer: true })).toBe(true)
  await world.pass(1_000)
  expect(cancels()).toBe(1)
})
