import type { AgentEvent, SimCard } from '@smsgw/contract/link/event'
import { health } from '@smsgw/contract/relay/health'
import type { DiskSpace } from '@smsgw/daemon/files/disk-space'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { expect, test } from 'vitest'
import type { ModemActor } from '../modems/modem-actor.ts'
import type { ModemFleet } from '../modems/modem-fleet.ts'
import { ManualTime } from '../testing/manual-time.ts'
import { DeviceReporter } from './device-reporter.ts'

function reporting() {
  const clock = new ManualClock()
  const disk = {
    space: { path: '/data', disk: undefined, freeBytes: 2 ** 30, hasInodes: true } as DiskSpace | undefined,
  }
  const hidden = { isOn: false }
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
    disk: () => disk.space,
    shownNumber: (number) => (hidden.isOn ? 'alias:x' : number),
  })
  reporter.start()
  const changed = (name: 'ready' | 'registering') =>
    reporter.modemChanged({ address: '/dev/ttyUSB2', health: { state: { name } } } as ModemActor)
  return { clock, simCards, kinds, changed, reporter, events, disk, hidden }
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

test('reports other modems while one modem changes continuously', () => {
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

test.each([
  [600, 'pass'],
  [400, 'warn'],
  [40, 'fail'],
])('a ping with %i MB of free disk space has the status %s', (freeMb, status) => {
  const { clock, simCards, events, reporter, disk } = reporting()
  simCards.push({ simNumber: 1, state: 'ready' })
  disk.space = { path: '/data', disk: undefined, freeBytes: freeMb * 1_000_000, hasInodes: true }
  reporter.pingEvery(60_000)
  clock.advance(60_000)
  const [ping] = events.filter((event) => event.kind === 'pinged')
  expect(ping?.health).toMatchObject({ status, checks: { 'journal:disk': { status, observedUnit: 'MiB' } } })
})

test('a ping omits the disk if it cannot be read', () => {
  const { clock, events, reporter, disk } = reporting()
  disk.space = undefined
  reporter.pingEvery(60_000)
  clock.advance(60_000)
  const [ping] = events.filter((event) => event.kind === 'pinged')
  expect(health.parse(ping?.health).checks).not.toHaveProperty('journal:disk')
})

test('sends no ping after it was stopped, even if settings arrive later', () => {
  const { clock, kinds, reporter } = reporting()
  reporter.stop()
  reporter.pingEvery(60_000)
  clock.advance(600_000)
  expect(kinds).not.toContain('pinged')
})

test('reports a call with the number of the caller and of the SIM, if known', () => {
  const { reporter, events } = reporting()
  reporter.callReceived({ simNumber: 2, phoneNumber: '+447700900124' }, { number: '+447700900123' })
  reporter.callReceived({ simNumber: 1, phoneNumber: undefined }, { number: undefined })
  expect(events).toEqual([
    {
      ...{ kind: 'call-received', at: expect.any(String), simNumber: 2 },
      ...{ caller: '+447700900123', recipient: '+447700900124' },
    },
    { kind: 'call-received', at: expect.any(String), simNumber: 1 },
  ])
})

test('reports a new encryption key, and adds a line about it to the log of the account', async () => {
  const { reporter, events } = reporting()
  const key = { version: 2, publicKey: 'AAAA' }
  await reporter.keyReplaced(key)
  expect(events).toEqual([
    { kind: 'key-replaced', at: expect.any(String), key },
    {
      ...{ kind: 'logged', at: expect.any(String), module: 'encryption', priority: 'INFO' },
      message: expect.stringContaining('encryption key replaced: version 2 is in use'),
    },
  ])
})

test('reports the alias of a caller if the account hides senders', () => {
  const { reporter, events, hidden } = reporting()
  hidden.isOn = true
  reporter.callReceived({ simNumber: 2, phoneNumber: undefined }, { number: '+447700900123' })
  expect(events).toMatchObject([{ kind: 'call-received', caller: 'alias:x' }])
})
