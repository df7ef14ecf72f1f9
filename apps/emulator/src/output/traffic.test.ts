import { expect, test } from 'vitest'
import { TrafficLog } from './traffic.ts'

test('keeps the last bytes, at most four megabytes', () => {
  const traffic = new TrafficLog()
  const kept = () => traffic.recent().reduce((sum, { bytes }) => sum + bytes.length, 0)
  for (let turn = 0; turn < 100; turn++) traffic.record('modem0', 'in', new Uint8Array(65_536).fill(turn))
  expect(kept()).toBe(4_194_304)
  expect(traffic.recent().at(-1)?.bytes[0]).toBe(99)
  for (let turn = 0; turn < 3000; turn++) traffic.record('modem0', 'out', Uint8Array.of(1))
  expect(traffic.recent()).toHaveLength(2000)
})
