import { afterEach, beforeEach, expect, test } from 'vitest'
import { statusLines } from '../status/status-lines.ts'
import { telemetrySample } from '../status/telemetry.ts'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { FakeMachine } from '../testing/fake-machine.ts'
import { FleetFixture } from '../testing/modem-fleet-fixture.ts'
import { networkClockText } from './network-clock.ts'

let emulator: EmulatorProcess
let fake: FakeMachine
let fixture: FleetFixture

beforeEach(async () => {
  emulator = await EmulatorProcess.start(['--boot-time', '0'], { imei: '356938035648091' })
  fake = new FakeMachine()
  fixture = new FleetFixture(fake)
  await fixture.start([emulator.pty])
  await fixture.readyAre('1:8091')
  await expect.poll(() => fixture.times.length).toBe(1)
})

afterEach(async () => {
  await fixture.stop()
  fake.remove()
  await emulator.stop()
})

const aheadMs = () => telemetrySample(fixture.fleet?.health ?? [], {}).modems[0]?.networkClockAheadMs

/** The time in minutes from now, in the zone +01:00, as a modem writes it. */
function localTime(inMinutes: number): string {
  return new Date(Date.now() + (inMinutes + 60) * 60_000)
    .toISOString()
    .slice(0, 19)
    .replaceAll('-', '/')
    .replace('T', ',')
}

test('reports a clock of the network that differs by more than two minutes', async () => {
  expect(aheadMs()).toBeUndefined()
  await emulator.instruct('say', { modem: 'modem0', line: `+CTZE: "+04",0,"${localTime(5)}"` })
  await expect.poll(aheadMs).toBe(300_000)
  const [modem] = telemetrySample(fixture.fleet?.health ?? [], {}).modems
  const lines = statusLines({
    ...{ version: '1', pid: 1, upMs: 0, waiting: [], sims: [], unusable: [], logLinesDropped: 0 },
    link: { phase: 'online', relay: 'r', problem: undefined, deviceId: 'd', eventsWaiting: 0 },
    queue: { open: 0, waiting: 0, inDoubt: 0 },
    journal: { id: 'j', fsyncMs: 1, problem: undefined },
    clock: { trusted: true, systemErrorMs: undefined },
    modems: modem === undefined ? [] : [modem],
  })
  expect(lines).toContain('  clock     the clock of the network is 5 min ahead of the clock of this machine')
  await emulator.instruct('say', { modem: 'modem0', line: `+CTZE: "+04",0,"${localTime(0)}"` })
  await expect.poll(aheadMs).toBeUndefined()
})

test('ignores a local time without its zone, because it may be wrong by hours', async () => {
  await emulator.instruct('say', { modem: 'modem0', line: `+CTZE: "",0,"${localTime(300)}"` })
  await emulator.instruct('say', { modem: 'modem0', line: `+CTZE: "+04",0,"${localTime(10)}"` })
  await expect.poll(aheadMs).toBe(600_000)
  expect(fixture.times).toHaveLength(2)
})

test('describes the difference', () => {
  expect(networkClockText(-180_000)).toBe('the clock of the network is 3 min behind the clock of this machine')
  expect(networkClockText(86_400_000)).toBe('the clock of the network is 24 h ahead of the clock of this machine')
})
