import { join } from 'node:path'
import { octetsFromHex } from '@smsgw/sms/octets'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { wantedModems } from '../modem-addresses.ts'
import { planMessage } from '../sending/message/plan-message.ts'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { devices, FakeMachine } from '../testing/fake-machine.ts'
import { FleetFixture } from '../testing/modem-fleet-fixture.ts'

let emulator: EmulatorProcess
let fake: FakeMachine
let fixture: FleetFixture

beforeEach(async () => {
  fake = new FakeMachine()
  fixture = new FleetFixture(fake)
  const secondPty = join(fake.machine.devices, 'second')
  emulator = await EmulatorProcess.start(['--boot-time', '0'], {
    imei: '356938035648091',
    secondTcp: '127.0.0.1:0',
    secondPty,
  })
})

afterEach(async () => {
  await fixture.stop()
  fake.remove()
  await emulator.stop()
})

/** Loses the result of a message. Returns how long the next message took to be accepted. */
async function delayByLostResult(): Promise<number> {
  await fixture.readyAre('1:8091')
  const sim = fixture.sending.get(1)
  const planned = planMessage({
    content: { kind: 'text', text: 'hello' },
    destination: '+447700900123',
    requestsReport: false,
    reference: 1,
    validForSeconds: undefined,
    sim: { simNumber: 1, iccid: '8944110000000000015' },
  })
  const part = planned.ok ? planned.plan.parts[0] : undefined
  if (sim === undefined || part === undefined) throw new Error('cannot send')
  const pdu = { octets: octetsFromHex(part.pdu), tpduLength: part.tpduLength }
  const send = (id: string) => sim.submit(pdu, { id, beforePdu: async () => 'go' })
  // The second port is opened after setup.
  await expect.poll(() => fixture.actors[0]?.health.secondPort?.isInUse).toBe(true)
  await emulator.instruct('set-fault', { modem: 'modem0', fault: 'submit-answer-lost', options: { times: 1 } })
  const startedMs = performance.now()
  const [lost, next] = await Promise.all([send('lost'), send('next')])
  expect(lost).toMatchObject({ kind: 'unknown', why: 'answer-lost' })
  expect(next).toMatchObject({ kind: 'accepted' })
  return performance.now() - startedMs
}

// Without a second port, the driver waits 20 s before it checks a modem of this vendor that does not answer.
const withoutSecondPortMs = 20_000

/**
 * Returns the median of three delays, because a busy machine may make one of them longer. If two delays
 * are short, the third is not measured.
 */
async function medianDelay(): Promise<number> {
  const delaysMs: number[] = []
  const isDecided = () => delaysMs.filter((ms) => ms < withoutSecondPortMs).length === 2
  while (delaysMs.length < 3 && !isDecided()) delaysMs.push(await delayByLostResult())
  return delaysMs.toSorted((one, other) => one - other)[1] ?? Number.NaN
}

test('a second port that the table of USB modems names shows that a modem that does not answer still works', async () => {
  fake.plug(devices.ec25, '1-1.2', {
    ...{ 0: { name: 'ttyUSB0' }, 1: { name: 'ttyUSB1' } },
    2: { name: 'ttyUSB2', leadsTo: emulator.pty },
    3: { name: 'ttyUSB3', leadsTo: emulator.second },
  })
  await fixture.start()
  expect(await medianDelay()).toBeLessThan(withoutSecondPortMs)
  expect(fixture.opened).toEqual([2, 3].map((number) => join(fake.machine.devices, `ttyUSB${number}`)))
  expect(fixture.problems).toEqual([])
})

test('a second port that MODEMS names shows that a modem that does not answer still works', async () => {
  await fixture.start(wantedModems({ MODEMS: `${emulator.pty}+${emulator.second}` }))
  expect(await medianDelay()).toBeLessThan(withoutSecondPortMs)
  expect(fixture.opened).toEqual([emulator.pty, emulator.second])
})
