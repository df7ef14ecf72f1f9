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

const commands = () => fixture.actors[0]?.trace.entries().map(({ text }) => text) ?? []

test('a SIM uses the configured operator, and selects it again after its modem has restarted', async () => {
  fixture.operators[1] = { code: '00101', mayFallBack: false }
  await fixture.start([emulator.pty])
  await fixture.readyAre('1:8091')
  await expect.poll(() => fixture.fleet?.simCards[0]?.carrierName).toMatch(/[A-Za-z]/)
  const selections = () => commands().filter((text) => text.includes('AT+COPS=1,2')).length
  await expect.poll(selections).toBe(1)
  await emulator.instruct('reboot', { modem: 'modem0' })
  await expect.poll(selections).toBe(2)
  await fixture.readyAre('1:8091')
  expect(fixture.problems.filter((problem) => problem.includes('OPERATOR'))).toEqual([])
})

test('shows the operator of a modem that reports its registration during its setup', async () => {
  const setFault = (fault: string, options: object) =>
    emulator.instruct('set-fault', { modem: 'modem0', fault, options })
  await setFault('urc-before-answer', { line: '+CREG: 1,"1A2B","01234567",7', times: 14 })
  await setFault('command-refused', { command: '+CGREG/+CEREG/+C5GREG' })
  await fixture.start([emulator.pty])
  await fixture.readyAre('1:8091')
  await expect.poll(() => fixture.fleet?.simCards[0]?.carrierName).toMatch(/[A-Za-z]/)
})

test('reports an operator that refuses the SIM', async () => {
  fixture.operators[1] = { code: '26299', mayFallBack: false }
  await fixture.start([emulator.pty])
  await expect
    .poll(() => fixture.problems)
    .toContainEqual(expect.stringContaining('cannot select the operator of SIM_1_OPERATOR: '))
})
