import type { DeviceAnswer, DeviceDetailAnswer, FindingsAnswer, ModemAnswer } from '@smsgw/contract/devices/device'
import { expect, test } from 'vitest'
import {
  chosenModem,
  computerToSetUp,
  findingsFor,
  isReplyTo,
  isSameNumber,
  needsSetup,
  pinTriesLeft,
  setupState,
  shownState,
} from './setup-state.ts'

const online = { online: true, simCards: [] } as unknown as DeviceDetailAnswer
const modem = (state: string, more: Partial<ModemAnswer> = {}): ModemAnswer => ({ simNumber: 1, state, ...more })

test('without a paired computer, setup begins with pairing a computer', () => {
  expect(setupState(undefined, undefined)).toEqual({ step: 'computer', kind: 'unpaired' })
  expect(setupState({ online: false } as DeviceDetailAnswer, modem('ready'))).toMatchObject({ kind: 'offline' })
  expect(setupState(online, undefined)).toEqual({ step: 'modem', kind: 'missing' })
})

test('begins with a computer that is online and has no working SIM, or otherwise with the first computer', () => {
  const computer = (id: string, online: boolean, ...states: readonly string[]) =>
    ({ id, online, simCards: states.map((state) => ({ state })) }) as unknown as DeviceAnswer
  const done = computer('done', true, 'locked', 'ready')
  expect(computerToSetUp([done, computer('off', false), computer('new', true, 'locked')])?.id).toBe('new')
  expect(computerToSetUp([done, computer('off', false)])?.id).toBe('done')
  expect(computerToSetUp([])).toBeUndefined()
})

test.each([
  ['ready', {}, 'test', 'ready'],
  ['degraded', {}, 'test', 'ready'],
  ['starting', {}, 'modem', 'starting'],
  ['absent', {}, 'modem', 'missing'],
  ['absent', { model: 'E3372', lastError: 'disconnected' }, 'modem', 'missing'],
  ['absent', { lastErrorCode: 'modem.no-sim' }, 'sim', 'blocked'],
  ['failed', { lastErrorCode: 'modem.sim-failure' }, 'sim', 'blocked'],
  ['failed', { lastErrorCode: 'modem.garbled' }, 'modem', 'failed'],
  ['locked', { lastErrorCode: 'modem.pin-required' }, 'sim', 'pin'],
  ['locked', { lastErrorCode: 'modem.pin-wrong' }, 'sim', 'pin'],
  ['locked', {}, 'sim', 'pin'],
  ['locked', { lastErrorCode: 'modem.pin-last-try' }, 'sim', 'blocked'],
  ['locked', { lastErrorCode: 'modem.pin-tries-unknown' }, 'sim', 'blocked'],
  ['puk', { lastErrorCode: 'modem.puk-required' }, 'sim', 'blocked'],
  ['searching', {}, 'network', 'searching'],
  ['denied', {}, 'network', 'denied'],
  ['roaming', {}, 'network', 'roaming'],
  ['haunted', {}, 'modem', 'failed'],
] as const)('a SIM that is %s %j waits in the step %s, %s', (state, more, step, kind) => {
  expect(setupState(online, modem(state, more))).toEqual({ step, kind })
})

test('the state of the SIM is newer than the state of its modem', () => {
  const device = { ...online, simCards: [{ simNumber: 1, slotIndex: 0, state: 'ready' }] }
  expect(setupState(device, modem('locked'))).toEqual({ step: 'test', kind: 'ready' })
  expect(setupState(device, modem('locked', { simNumber: 2 }))).toEqual({ step: 'sim', kind: 'pin' })
})

test('the form for the PIN stays while the modem starts again after a PIN', () => {
  const shown = (state: string, simNumber = 1) => ({ simNumber, state: setupState(online, modem(state)) })
  const pin = shown('locked')
  const starting = shown('starting')
  const searching = shown('searching')
  const startingOther = shown('starting', 2)
  expect(shownState(pin, starting)).toBe(pin)
  expect(shownState(pin, startingOther)).toBe(startingOther)
  expect(shownState(pin, searching)).toBe(searching)
  expect(shownState(searching, starting)).toBe(starting)
})

test('chooses the requested modem, otherwise the shown modem, otherwise a working modem, otherwise a connected modem', () => {
  const modems = [modem('absent'), modem('locked', { simNumber: 2 }), modem('ready', { simNumber: 3 })]
  expect(chosenModem(modems, 2)?.simNumber).toBe(2)
  expect(chosenModem(modems, 3, 2)?.simNumber).toBe(3)
  expect(chosenModem(modems, undefined, 2)?.simNumber).toBe(2)
  expect(chosenModem(modems, undefined, 1)?.simNumber).toBe(3)
  expect(chosenModem(modems, undefined)?.simNumber).toBe(3)
  expect(chosenModem(modems.slice(0, 2), 9)?.simNumber).toBe(2)
  expect(chosenModem([], 1)).toBeUndefined()
})

test('shows findings that explain the step, except findings of another SIM and findings that the step already shows', () => {
  type Finding = FindingsAnswer['findings'][number]
  const finding = (verdict: Finding['verdict'], code: string, simNumber?: number): Finding => ({
    ...{ check: '', text: '', verdict, code },
    ...(simNumber !== undefined && { simNumber }),
  })
  const all = [
    finding('ok', 'runtime.ok'),
    finding('ok', 'usb.seen'),
    finding('problem', 'modems.none'),
    finding('problem', 'port.forbidden'),
    finding('warning', 'manager.takes'),
    finding('problem', 'modem.puk-required', 1),
    finding('problem', 'centre.none', 2),
  ]
  const codes = (state: Parameters<typeof findingsFor>[0], of?: ModemAnswer) =>
    findingsFor(state, of, all).map(({ code }) => code)
  expect(codes({ step: 'modem', kind: 'missing' })).toEqual(['usb.seen', 'port.forbidden', 'manager.takes'])
  // The state of the modem may be older than the findings.
  const blocked = modem('puk')
  expect(codes({ step: 'sim', kind: 'blocked' }, blocked)).toEqual(['port.forbidden'])
})

test('shows how many PIN attempts are left before the first attempt', () => {
  const tries = { check: '', verdict: 'ok', text: '', code: 'card.tries', values: { tries: 2 }, simNumber: 1 } as const
  expect(pinTriesLeft(modem('locked'), [tries])).toBe(2)
  expect(pinTriesLeft(modem('locked', { simNumber: 2 }), [tries])).toBeUndefined()
})

test.each([
  ['+447400123456', '+447400123456', true],
  ['07400123456', '+447400123456', true],
  ['7400123456', '+447400123456', true],
  ['+447400999999', '+447400123456', false],
  ['+17400123456', '+447400123456', false],
  ['123456', '+447400123456', false],
  ['Vodafone', '+447400123456', false],
])('a message from %s is a reply from %s: %s', (sender, number, expected) => {
  expect(isSameNumber(sender, number)).toBe(expected)
})

test('a reply to the test arrives at the same SIM, from the same phone or from a hidden sender', () => {
  const line = { number: '+447400123456', simNumber: 1 }
  const alias = `alias:${'k'.repeat(64)}`
  expect(isReplyTo(line, { sender: line.number, simNumber: 1 })).toBe(true)
  expect(isReplyTo(line, { sender: line.number })).toBe(true)
  expect(isReplyTo(line, { sender: alias, simNumber: 1 })).toBe(true)
  expect(isReplyTo(line, { sender: line.number, simNumber: 2 })).toBe(false)
  expect(isReplyTo(line, { sender: alias, simNumber: 2 })).toBe(false)
  expect(isReplyTo(line, { sender: '+447400999999', simNumber: 1 })).toBe(false)
})

const deviceWith = (...states: readonly string[]) => ({ simCards: states.map((state) => ({ state })) }) as DeviceAnswer

test.each([
  [[], true],
  [[deviceWith()], true],
  [[deviceWith('locked'), deviceWith('absent')], true],
  [[deviceWith('locked', 'ready')], false],
  [[deviceWith('starting')], false],
  [[{ ...deviceWith(), isPhone: true } as DeviceAnswer], false],
])('setup is needed for %j: %s', (devices, expected) => {
  expect(needsSetup(devices)).toBe(expected)
})
