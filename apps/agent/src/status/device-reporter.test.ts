import { health } from '@smsgw/contract/health'
import type { AgentEvent, SimCard } from '@smsgw/contract/link/event'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { expect, test } from 'vitest'
import type { ModemActor } from '../modems/modem-actor.ts'
import type { ModemFleet } from '../modems/modem-fleet.ts'
import { ManualTime } from '../testing/manual-time.ts'
import { DeviceReporter } from './device-reporter.ts'

function reporting() {
  const clock = new ManualClock()
  const simCards: SimCard[] = []
  const kinds: string[] = []
  const events: AgentEvent[] = []
  const reporter = new DeviceReporter({
    clock,
    time: new ManualTime(clock),
    fleet: { simCards, health: [] } as unknown as ModemFleet,
    version: '1.0.0',
    keep: async (changes) => {
      for (const change of changes) {
        if (change.kind !== 'event') continue
        events.push(change.event)
        kinds.push(change.event.kind)
      }
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
  return { clock, simCards, kinds, changed, reporter, events }
}

test('reports all changes of a starting modem together', () => {
  const { clock, simCards, kinds, changed } = reporting()
  changed('registering')
  simCards.push({ simNumber: 1, state: 'ready' })
  clock.advance(100)
  changed('ready')
  clock.advance(60_000)
  expect(kinds).toEqual(['started'])
})

test('reports other modems while one keeps changing', () => {
  const { clock, simCards, kinds, changed } = reporting()
  clock.advance(10_000)
  simCards.push({ simNumber: 2, state: 'ready' })
  for (let at = 0; at < 2_000; at += 50) {
    changed(at % 100 === 0 ? 'ready' : 'registering')
    clock.advance(50)
  }
  expect(kinds).toEqual(['started', 'sims-changed'])
})

test('a ping contains the health of the device in the format of the health endpoint', () => {
  const { clock, simCards, events, reporter } = reporting()
  simCards.push({ simNumber: 1, state: 'ready' }, { simNumber: 2, state: 'locked' })
  reporter.pingEvery(60_000)
  clock.advance(60_000)
  const [ping] = events.filter((event) => event.kind === 'pinged')
  expect(health.parse(ping?.health)).toEqual(ping?.health)
  expect(ping?.health).toMatchObject({ status: 'warn', version: '1.0.0', releaseId: 1_000_000 })
})
