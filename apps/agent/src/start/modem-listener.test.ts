import { startupFailure } from '@smsgw/modem/setup/startup-failure'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { expect, test, vi } from 'vitest'
import type { ModemActor } from '../modems/modem-actor.ts'
import { stateText } from '../modems/modem-health.ts'
import { ModemStateLog, modemListener } from './modem-listener.ts'

function logging() {
  const clock = new ManualClock()
  const lines: string[] = []
  const log = new ModemStateLog((line) => void lines.push(line), clock)
  return { clock, lines, log }
}

test('logs each change of state once', () => {
  const { lines, log } = logging()
  for (const state of ['probing', 'ready', 'ready', 'probing']) log.changed('ttyUSB2', state)
  expect(lines).toEqual(['modem ttyUSB2: probing', 'modem ttyUSB2: ready', 'modem ttyUSB2: probing'])
})

test('logs at most ten changes a minute of an unstable modem, and all changes of another modem', () => {
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
  expect(lines.at(-1)).toBe('modem ttyUSB2: ready (90 changes not logged)')
})

test('reports an alarm to the account unless the state of the modem has the same text', () => {
  const state = { name: 'blocked', failure: startupFailure('no-sim') } as const
  const modem = { address: 'ttyUSB2', health: { state } } as ModemActor
  const reporter = { log: vi.fn() }
  type Parts = Parameters<typeof modemListener>
  const listener = modemListener(
    {} as Parts[0],
    { log: { info: vi.fn() }, clock: new ManualClock(), reporter: () => reporter } as unknown as Parts[1],
  )
  listener.onProblem(modem, 'ERROR', stateText(state))
  expect(reporter.log).not.toHaveBeenCalled()
  listener.onProblem(modem, 'ERROR', 'Nothing helped.')
  expect(reporter.log).toHaveBeenCalledWith('ERROR', 'modem', 'ttyUSB2: Nothing helped.')
})
