import type { DeviceAnswer } from '@smsgw/contract/devices/device'
import { expect, test } from 'vitest'
import { needsSetup } from './first-setup.ts'

const device = (...states: readonly string[]) => ({ simCards: states.map((state) => ({ state })) }) as DeviceAnswer

test.each([
  [[], true],
  [[device()], true],
  [[device('locked'), device('absent')], true],
  [[device('locked', 'ready')], false],
  [[device('starting')], false],
  [[{ ...device(), isPhone: true } as DeviceAnswer], false],
])('setup is needed for %j: %s', (devices, expected) => {
  expect(needsSetup(devices)).toBe(expected)
})
