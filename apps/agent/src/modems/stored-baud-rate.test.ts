import { afterEach, beforeEach, expect, test } from 'vitest'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { FakeMachine } from '../testing/fake-machine.ts'
import { FleetFixture } from '../testing/modem-fleet-fixture.ts'
import { detectedBaudRate, storeDetectedBaudRate } from './stored-baud-rate.ts'

let fake: FakeMachine
let fixture: FleetFixture
let emulator: EmulatorProcess

beforeEach(() => {
  fake = new FakeMachine()
  fixture = new FleetFixture(fake)
})
afterEach(async () => {
  await fixture.stop()
  await emulator.stop()
  fake.remove()
})

async function start(personality: string) {
  emulator = await EmulatorProcess.start(['--boot-time', '0'], { personality, imei: '356938035648091' })
  await fixture.start([emulator.pty])
  await fixture.readyAre('1:8091')
  const [actor] = fixture.actors
  if (actor === undefined) throw new Error('no modem')
  return actor
}

test('stores the rate of its port on request in a modem that detects the rate', async () => {
  const rateOf = async () => 57_600
  const actor = await start('simcom-sim800')
  expect(await detectedBaudRate(actor, rateOf)).toBe(57_600)
  expect(await storeDetectedBaudRate([actor], actor.address, rateOf)).toBe(true)
  expect(await detectedBaudRate(actor, rateOf)).toBeUndefined()
})

test('stores nothing at a port that works at each rate', async () => {
  const actor = await start('simcom-sim800')
  expect(await detectedBaudRate(actor)).toBeUndefined()
  await expect(storeDetectedBaudRate([actor], actor.address)).rejects.toThrow('no modem with a baud rate')
})

test('leaves a modem with a fixed rate unchanged', async () => {
  const actor = await start('quectel-ec25')
  expect(await detectedBaudRate(actor, async () => 9_600)).toBeUndefined()
})
