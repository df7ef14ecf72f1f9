import { textOfUserData } from '@smsgw/sms/fields/user-data'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { FakeMachine } from '../testing/fake-machine.ts'
import { FleetFixture } from '../testing/modem-fleet-fixture.ts'

const quick = ['--boot-time', '0']
const stick = { personality: 'huawei-hilink', imei: '356938035648091', number: '+447700900001' }
const otherStick = { personality: 'huawei-hilink', imei: '356938035648182', number: '+447700900002' }

let fake: FakeMachine
let fixture: FleetFixture
let emulator: EmulatorProcess

beforeEach(async () => {
  fake = new FakeMachine()
  fixture = new FleetFixture(fake)
  emulator = await EmulatorProcess.start(quick, stick)
})
afterEach(async () => {
  await fixture.stop()
  await emulator.stop()
  fake.remove()
})

test('a HiLink stick is recognised by its IMEI, and its messages are deleted only on request', async () => {
  await fixture.start([emulator.tcp])
  await fixture.readyAre('1:8091')
  expect(fixture.sending.get(1)).toMatchObject({ sendsText: true })
  expect(fixture.problems).toEqual([expect.stringContaining('has only a web interface (HiLink)')])
  await emulator.instruct('send-text', { from: '+447400123456', to: 'modem0', text: 'Hello' })
  await expect.poll(() => fixture.incoming.length).toBe(1)
  const incoming = fixture.incoming[0]?.incoming
  if (incoming?.kind !== 'message' || incoming.source.kind !== 'stored') throw new Error('not a stored message')
  expect(textOfUserData(incoming.deliver.userData)).toBe('Hello')
  const sim = fixture.sending.get(1)
  expect(await sim?.deleteMessage(incoming.source, incoming.pdu)).toEqual({ kind: 'deleted' })
})

test('another stick at the same address counts as another SIM, and the first SIM keeps its number', async () => {
  await fixture.start([emulator.tcp])
  await fixture.readyAre('1:8091')
  const tcp = emulator.tcp.replace('hilink://', '')
  const swap = async (modem: typeof stick) => {
    await emulator.kill()
    await emulator.stop()
    emulator = await EmulatorProcess.start(quick, { ...modem, tcp })
  }
  await swap(otherStick)
  await fixture.readyAre('2:8182')
  await swap(stick)
  await fixture.readyAre('1:8091')
})

test('a stick that was unplugged and plugged in again continues to work in a new session', async () => {
  await fixture.start([emulator.tcp])
  await fixture.readyAre('1:8091')
  await emulator.instruct('unplug', { modem: 'modem0' })
  await expect.poll(() => fixture.stoppedSending).toContain(1)
  await emulator.instruct('plug', { modem: 'modem0' })
  await fixture.readyAre('1:8091')
  const sim = fixture.sending.get(1)
  const text = { text: 'Hello', destination: '+447400123456' }
  expect(await sim?.submit(text, { id: 'a', beforePdu: async () => 'go' })).toMatchObject({ kind: 'accepted' })
})
