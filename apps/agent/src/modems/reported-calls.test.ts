import { afterEach, beforeEach, expect, test } from 'vitest'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { FakeMachine } from '../testing/fake-machine.ts'
import { FleetFixture } from '../testing/modem-fleet-fixture.ts'

let emulator: EmulatorProcess
let fake: FakeMachine
let fixture: FleetFixture

beforeEach(async () => {
  emulator = await EmulatorProcess.start(['--boot-time', '0'], { imei: '356938035648091' })
  fake = new FakeMachine()
  fixture = new FleetFixture(fake)
})

afterEach(async () => {
  await fixture.stop()
  fake.remove()
  await emulator.stop()
})

test('a call is reported once, with the number of the caller and the SIM that was called', async () => {
  await fixture.start([emulator.pty], { modem: { hangUpCalls: true } })
  await fixture.readyAre('1:8091')
  for (const line of ['RING', '+CLIP: "+447700900123",145,,,,0', 'RING', 'NO CARRIER'])
    await emulator.instruct('say', { modem: 'modem0', line })
  await expect.poll(() => fixture.calls).toEqual([{ simNumber: 1, number: '+447700900123' }])
  expect(fixture.problems).toEqual([])
})
