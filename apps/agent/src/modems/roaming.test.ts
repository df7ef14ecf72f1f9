import { afterEach, beforeEach, expect, test } from 'vitest'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { FakeMachine } from '../testing/fake-machine.ts'
import { FleetFixture } from '../testing/modem-fleet-fixture.ts'

const timeout = 60_000
let emulator: EmulatorProcess
let fake: FakeMachine
let fixture: FleetFixture

beforeEach(async () => {
  emulator = await EmulatorProcess.start(['--boot-time', '0'], { imei: '356938035648091' })
  fake = new FakeMachine()
  fixture = new FleetFixture(fake)
}, timeout)

afterEach(async () => {
  await fixture.stop()
  fake.remove()
  await emulator.stop()
})

const simState = () => fixture.fleet?.simCards[0]?.state
const stateIs = (state: string) => expect.poll(simState, { interval: 20 }).toBe(state)

test(
  'without permission to send while roaming, a roaming SIM only receives',
  async () => {
    fixture.sendWhileRoaming = false
    await emulator.instruct('set-coverage', { stat: 5 })
    await fixture.start([emulator.pty])
    await stateIs('roaming')
    expect(fixture.ready).toEqual([])
    expect(fixture.couldSend).toEqual([])
    await emulator.instruct('send-text', { to: '+447700900001', from: '+447700900555', text: 'hello' })
    await expect.poll(() => fixture.incoming.length).toBe(1)
    await emulator.instruct('set-coverage', { stat: 1 })
    await fixture.readyAre('1:8091')
    await stateIs('ready')
    await emulator.instruct('set-coverage', { stat: 5 })
    await fixture.readyAre()
    await stateIs('roaming')
  },
  timeout,
)

test(
  'a SIM sends while roaming by default',
  async () => {
    await emulator.instruct('set-coverage', { stat: 5 })
    await fixture.start([emulator.pty])
    await fixture.readyAre('1:8091')
    expect(simState()).toBe('ready')
  },
  timeout,
)
