import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { expect, test } from 'vitest'
import { ModemStateLog } from './modem-state-log.ts'

function logging() {
  const clock = new ManualClock()
  const lines: string[] = []
  const log = new ModemStateLog((line) => void lines.push(line), clock)
  return { clock, lines, log }
}

test('each change has a line, and what is as it was has none', () => {
  const { lines, log } = logging()
  for (const words of ['probing', 'ready', 'ready', 'probing']) log.changed('ttyUSB2', words)
  expect(lines).toEqual(['modem ttyUSB2: probing', 'modem ttyUSB2: ready', 'modem ttyUSB2: probing'])
})

test('a modem that goes back and forth has ten lines a minute, another one all of its own', () => {
  const { clock, lines, log } = logging()
  for (let at = 0; at < 100; at += 1) {
    log.changed('ttyUSB2', at % 2 === 0 ? 'ready' : 'degraded')
    clock.advance(100)
  }
  expect(lines).toHaveLength(10)
  log.changed('ttyUSB6', 'ready')
  expect(lines.at(-1)).toBe('modem ttyUSB6: ready')
  clock.advance(60_000)
  log.changed('ttyUSB2', 'ready')
  expect(lines.at(-1)).toBe('modem ttyUSB2: ready (behind 90 changes without a line)')
})
