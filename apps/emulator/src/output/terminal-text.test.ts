import { expect, test } from 'vitest'
import type { RunningEmulator } from '../emulator.ts'
import { NetworkEvents } from './network-events.ts'
import { addressJson, addressLines, reportLines } from './report-lines.ts'
import { harmless, harmlessJson } from './terminal-text.ts'
import { TrafficLog } from './traffic.ts'

const hostile = 'a\u001b[2J\u009b\r\n\u202eb\u2028c'
const steering = /[\p{Cc}\p{Cf}\p{Zl}]/u

test('prints text on one line without control characters', () => {
  expect(harmless(hostile)).toBe('a·[2J··⏎·b·c')
})

test('escapes control characters in JSON without changing its value', () => {
  const value = { text: `${hostile}\u{e0041}👋` }
  expect(harmlessJson(value)).not.toMatch(steering)
  expect(JSON.parse(harmlessJson(value))).toEqual(value)
})

test('prints events without control characters', async () => {
  const traffic = new TrafficLog()
  const events = new NetworkEvents()
  const lines: string[] = []
  const world = { modems: [{ name: hostile, virtual: { personality: { title: 'x' }, imei: '1' }, ports: [] }] }
  const emulator = {
    traffic,
    events,
    world,
    ledger: undefined,
    control: undefined,
    seed: 1,
  } as unknown as RunningEmulator
  reportLines(emulator, (line) => lines.push(line))
  events.record({ kind: 'step', step: hostile, problem: hostile })
  traffic.record(hostile, 'out', Buffer.from('\u001b[2J\r\n'))
  await expect.poll(() => lines).toHaveLength(2)
  for (const line of [...lines, ...addressLines(emulator), addressJson(emulator)]) expect(line).not.toMatch(steering)
})
