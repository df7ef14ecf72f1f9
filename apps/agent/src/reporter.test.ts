import type { SimCard } from '@smsgw/contract/link/event'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { expect, test } from 'vitest'
import type { ModemActor } from './modems/modem-actor.ts'
import type { ModemFleet } from './modems/modem-fleet.ts'
import { Reporter } from './reporter.ts'
import { ManualTime } from './testing/manual-time.ts'

function reporting() {
  const clock = new ManualClock()
  const simCards: SimCard[] = []
  const told: string[] = []
  const reporter = new Reporter({
    clock,
    time: new ManualTime(clock),
    fleet: { simCards, health: [] } as unknown as ModemFleet,
    version: '1.0.0',
    keep: async (changes) => {
      for (const change of changes) if (change.kind === 'event') told.push(change.event.kind)
    },
    onSims: () => undefined,
    onTelemetry: () => undefined,
    facts: () => ({
      platform: 'linux',
      queue: { open: 0, waiting: 0, inDoubt: 0 },
      journal: { sizeBytes: 0, fsyncMs: 0 },
    }),
  })
  reporter.start()
  const changed = (name: 'ready' | 'registering') =>
    reporter.modemChanged({ address: '/dev/ttyUSB2', health: { state: { name } } } as ModemActor)
  return { clock, simCards, told, changed }
}

test('what changes together when a modem starts is told once', () => {
  const { clock, simCards, told, changed } = reporting()
  changed('registering')
  simCards.push({ simNumber: 1, state: 'ready' })
  clock.advance(100)
  changed('ready')
  clock.advance(60_000)
  expect(told).toEqual(['started'])
})

test('a modem that changes all the time keeps nothing about the others back', () => {
  const { clock, simCards, told, changed } = reporting()
  clock.advance(10_000)
  simCards.push({ simNumber: 2, state: 'ready' })
  for (let at = 0; at < 2_000; at += 50) {
    changed(at % 100 === 0 ? 'ready' : 'registering')
    clock.advance(50)
  }
  expect(told).toEqual(['started', 'sims-changed'])
})
