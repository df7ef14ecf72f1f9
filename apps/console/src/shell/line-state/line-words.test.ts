import type { DeviceAnswer } from '@smsgw/contract/devices/device'
import { expect, test } from 'vitest'
import { lineWords, signalWords } from './line-words.ts'

interface Sim {
  readonly state: string
  readonly signal?: number
  readonly carrierName?: string
}

const device = (online: boolean, ...simCards: readonly Sim[]) => ({ online, simCards }) as unknown as DeviceAnswer

test('a lost connection comes first, and nothing is shown before the devices are loaded', () => {
  expect(lineWords('away', [device(true, { state: 'ready' })])).toMatchObject({ tone: 'warn', title: 'Disconnected' })
  expect(lineWords('live', undefined)).toMatchObject({ tone: 'quiet', detail: '' })
})

test.each([
  ['no device', [], 'warn', 'No device', 'Pair a device'],
  ['no device online', [device(false, { state: 'ready' })], 'bad', 'Offline', 'No device is online'],
  ['no modem', [device(true)], 'bad', 'No SIM ready', 'No modem found.'],
  ['a locked SIM', [device(true, { state: 'pin_required' })], 'bad', 'No SIM ready', 'pin_required'],
])('names the problem: %s', (_, devices, tone, title, detail) => {
  const words = lineWords('live', devices)
  expect(words).toMatchObject({ tone, title, signal: undefined })
  expect(words.detail.toLowerCase()).toContain(detail === 'pin_required' ? 'pin' : detail.toLowerCase())
})

test('shows network and signal of the best ready SIM', () => {
  const weak = { state: 'ready', signal: 20, carrierName: 'Weak' }
  const strong = { state: 'ready', signal: 80, carrierName: 'Strong' }
  const unknown = { state: 'ready', carrierName: 'Unknown' }
  expect(lineWords('live', [device(true, weak, unknown), device(true, strong)])).toEqual({
    ...{ tone: 'good', title: 'Strong', detail: 'Good signal', signal: 80 },
  })
})

test('counts SIMs that are not ready and devices that are offline', () => {
  const devices = [device(true, { state: 'ready', carrierName: 'A' }, { state: 'no_sim' }), device(false)]
  expect(lineWords('live', devices)).toMatchObject({ tone: 'warn', title: 'A', detail: '2 of 3 not ready' })
})

test.each([
  [undefined, 'unknown'],
  [29, 'weak'],
  [30, 'fair'],
  [60, 'good'],
])('a signal of %s is %s', (signal, word) => {
  expect(signalWords(signal).toLowerCase()).toContain(word)
})
