import { octetsFromHex } from '@smsgw/sms/octets'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openPort } from '../ports/open-port.ts'
import { planMessage } from '../sending/message/plan-message.ts'
import { EmulatorProcess } from '../testing/emulator-process.ts'
import { devices, FakeMachine } from '../testing/fake-machine.ts'
import { FleetFixture } from '../testing/modem-fleet-fixture.ts'
import { runModemCommand } from './modem-commands.ts'
import type { ActiveSim } from './sim-presence.ts'

const quick = ['--boot-time', '0']
const first = { imei: '356938035648091', number: '+447700900001', iccid: '8944110000000000015' }
const second = { imei: '356938035648182', number: '+447700900002', iccid: '8944110000000000023' }

const locked = { ...second, imei: '356938035648273', pin: '2222' }
const killedModem = { ...second, imei: '356938035648364' }

let one: EmulatorProcess
let two: EmulatorProcess
let three: EmulatorProcess
let four: EmulatorProcess
let fake: FakeMachine
let fixture: FleetFixture

beforeAll(async () => {
  const modems = [first, second, locked, killedModem]
  ;[one, two, three, four] = (await Promise.all(modems.map((modem) => EmulatorProcess.start(quick, modem)))) as [
    EmulatorProcess,
    EmulatorProcess,
    EmulatorProcess,
    EmulatorProcess,
  ]
})
afterAll(() => Promise.all([one, two, three, four].map((emulator) => emulator.stop())))

beforeEach(() => {
  fake = new FakeMachine()
  fixture = new FleetFixture(fake)
})
afterEach(async () => {
  await fixture.stop()
  fake.remove()
})

/** Plugs in an EC25 with four ports. The third port accepts commands. */
function plug(emulator: EmulatorProcess, path: string, firstTty: number): void {
  const names = [0, 1, 2, 3].map((number) => `ttyUSB${firstTty + number}`)
  fake.plug(devices.ec25, path, {
    ...Object.fromEntries(names.map((name, number) => [number, { name }])),
    2: { name: `ttyUSB${firstTty + 2}`, leadsTo: emulator.pty },
  })
}

function unplug(path: string, firstTty: number): void {
  fake.unplug(path, [`ttyUSB${firstTty + 2}`])
}

describe('a virtual modem', () => {
  /** The SIM card of a real operator, so that the agent regards the modem as a real modem. */
  const operatorCard = { number: '+447700900009', iccid: '8944110000000000098', imsi: '234150000000009' }

  test('a virtual modem is marked by the test network of its SIM, even while it is unplugged', async () => {
    plug(one, '1-1.2', 0)
    await fixture.start()
    await fixture.readyAre('1:8091')
    expect(fixture.fleet?.simCards).toMatchObject([{ simNumber: 1, isEmulated: true }])
    await fixture.stop()
    unplug('1-1.2', 0)
    await fixture.start()
    expect(fixture.fleet?.simCards).toMatchObject([{ simNumber: 1, state: 'absent', isEmulated: true }])
  })

  test('a virtual modem does not send after a real modem was found, even while the real modem is unplugged and after a restart', async () => {
    const real = await EmulatorProcess.start(quick, { imei: '356938035648455', ...operatorCard })
    try {
      plug(one, '1-1.2', 0)
      await fixture.start()
      await fixture.readyAre('1:8091')
      plug(real, '1-1.3', 4)
      await fixture.readyAre('2:8455')
      expect(fixture.fleet?.simCards.map(({ isEmulated }) => isEmulated)).toEqual([true, undefined])
      expect(fixture.problems).toEqual([expect.stringContaining('WARN')])
      expect(fixture.problems[0]).toContain('virtual, and this device has a real modem')
      await fixture.stop()
      unplug('1-1.3', 4)
      await fixture.start()
      await expect.poll(() => fixture.fleet?.simCards[0]?.state).toBe('ready')
      await fixture.readyAre()
      await fixture.stop()
      fixture.emulation = { isEmulated: () => false, mayMix: true }
      await fixture.start()
      await fixture.readyAre('1:8091')
    } finally {
      await real.stop()
    }
  })

  test('a virtual modem is marked by its port, with any SIM', async () => {
    const foreign = await EmulatorProcess.start(quick, { imei: '356938035648463', ...operatorCard })
    try {
      fixture.emulation = { isEmulated: (address) => address === foreign.pty, mayMix: false }
      await fixture.start([foreign.pty])
      await fixture.readyAre('1:8463')
      expect(fixture.fleet?.simCards).toMatchObject([{ simNumber: 1, isEmulated: true }])
    } finally {
      await foreign.stop()
    }
  })
})

describe('modems on the bus', () => {
  test('modems on the bus are found on their command ports and get different SIM numbers', async () => {
    plug(one, '1-1.2', 0)
    await fixture.start()
    await fixture.readyAre('1:8091')
    plug(two, '1-1.3', 4)
    await fixture.readyAre('1:8091', '2:8182')
    const commandPorts = [2, 3, 6, 7].map((number) => fake.port(`ttyUSB${number}`))
    expect(fixture.opened.filter((port) => !commandPorts.includes(port))).toEqual([])
    expect(fixture.opened.slice(0, 1)).toEqual([fake.port('ttyUSB2')])
    expect(fixture.problems).toEqual([])
  })

  test('modems on the bus keep their SIM numbers in any socket, also after a restart', async () => {
    plug(one, '1-1.2', 0)
    await fixture.start()
    await fixture.readyAre('1:8091')
    await fixture.stop()
    plug(two, '1-1.1', 4)
    await fixture.start()
    await fixture.readyAre('1:8091', '2:8182')
    await fixture.stop()
    unplug('1-1.1', 4)
    unplug('1-1.2', 0)
    plug(two, '1-1.2', 0)
    plug(one, '1-1.1', 4)
    await fixture.start()
    await fixture.readyAre('1:8091', '2:8182')
  })

  test('modems on the bus are recognised in another socket under another port name', async () => {
    plug(one, '1-1.2', 0)
    await fixture.start()
    await fixture.readyAre('1:8091')
    const actor = fixture.fleet?.actorOf(1)
    await one.instruct('unplug', { modem: 'modem0' })
    unplug('1-1.2', 0)
    await fixture.readyAre()
    await one.instruct('plug', { modem: 'modem0' })
    plug(one, '1-1.4', 4)
    await fixture.readyAre('1:8091')
    expect(fixture.fleet?.actorOf(1)).toBe(actor)
    expect(actor?.address).toBe(fake.port('ttyUSB6'))
    expect(fixture.fleet?.health).toHaveLength(1)
  })

  test('modems on the bus are recognised after they have swapped sockets', async () => {
    plug(one, '1-1.2', 0)
    plug(two, '1-1.3', 4)
    await fixture.start()
    await expect.poll(() => fixture.ready.length).toBe(2)
    const before = fixture.ready
    const actors = fixture.actors
    await Promise.all([one, two].map((emulator) => emulator.instruct('unplug', { modem: 'modem0' })))
    unplug('1-1.2', 0)
    unplug('1-1.3', 4)
    await fixture.readyAre()
    plug(two, '1-1.2', 0)
    plug(one, '1-1.3', 4)
    await Promise.all([one, two].map((emulator) => emulator.instruct('plug', { modem: 'modem0' })))
    await fixture.readyAre(...before)
    expect(fixture.actors).toEqual(actors)
    expect(fixture.fleet?.health).toHaveLength(2)
  })
})

describe('ports listed in MODEMS', () => {
  test('ports listed in MODEMS are found again after the kernel has renamed them', async () => {
    plug(one, '1-1.2', 0)
    plug(two, '1-1.3', 4)
    await fixture.start([fake.port('ttyUSB2')])
    await fixture.readyAre('1:8091')
    const actor = fixture.fleet?.actorOf(1)
    await one.instruct('unplug', { modem: 'modem0' })
    unplug('1-1.2', 0)
    await fixture.readyAre()
    await one.instruct('plug', { modem: 'modem0' })
    plug(one, '1-1.2', 8)
    await fixture.readyAre('1:8091')
    expect(actor?.address).toBe(fake.port('ttyUSB10'))
    // Only one modem is shown, because MODEMS does not contain the other modem.
    expect(fixture.fleet?.health).toHaveLength(1)
    expect(fixture.fleet?.simNumbers).toEqual([1])
  })

  test('two ports of one modem count as one modem', async () => {
    await fixture.start([one.tcp, fake.port('modem')])
    await fixture.readyAre('1:8091')
    fake.plug(devices.ec25, '1-1.2', { 2: { name: 'modem', leadsTo: one.pty } })
    await expect
      .poll(() => fixture.problems)
      .toContainEqual(expect.stringContaining(`the same modem is already in use on ${one.tcp}`))
    expect(fixture.fleet?.simNumbers).toEqual([1])
    await fixture.readyAre('1:8091')
  })

  test('a port listed in MODEMS does not use the PIN of the previous modem for a different modem', async () => {
    fixture.pins[1] = '1111'
    fake.plug(devices.ec25, '1-1.2', { 2: { name: 'modem', leadsTo: one.pty } })
    await fixture.start([fake.port('modem')])
    await fixture.readyAre('1:8091')
    await one.instruct('unplug', { modem: 'modem0' })
    fake.unplug('1-1.2', ['modem'])
    await fixture.readyAre()
    fake.plug(devices.ec25, '1-1.2', { 2: { name: 'modem', leadsTo: three.pty } })
    await expect
      .poll(() => fixture.fleet?.simCards)
      .toMatchObject([
        { simNumber: 1, state: 'absent' },
        { simNumber: 2, state: 'locked' },
      ])
    expect(fixture.fleet?.actorOf(2)?.health.state).toMatchObject({ failure: { reason: 'pin-required' } })
    await one.instruct('plug', { modem: 'modem0' })
  })

  test('ports listed in MODEMS that another program uses are opened when the program closes them', async () => {
    const held = await openPort(one.pty)
    await fixture.start([one.pty], { recovery: { alarmLookMs: 200 } })
    await expect
      .poll(() => fixture.problems)
      .toContainEqual(expect.stringMatching(/^ERROR .*modem0: another program uses this port/))
    await held.close()
    await fixture.readyAre('1:8091')
    await expect.poll(() => fixture.problems.at(-1)).toMatch(/^INFO .*: works again/)
  })
})

test('listed ports are opened although another modem hangs and another is missing', async () => {
  await fixture.start([one.pty, two.pty, four.pty])
  await expect.poll(() => fixture.ready.length).toBe(3)
  const sim = [...fixture.sending.values()].find(({ iccid }) => iccid === first.iccid)
  await two.instruct('set-fault', { modem: 'modem0', fault: 'modem-hang' })
  await four.kill()
  await expect.poll(() => fixture.sending.size).toBe(2)
  await expect(submit(sim)).resolves.toMatchObject({ kind: 'accepted' })
  await two.instruct('clear-fault', { modem: 'modem0' })
  await two.instruct('reboot', { modem: 'modem0' })
})

test('causes one warning, not one at every check, that a memory cannot be read', async () => {
  await fixture.start([one.pty], { modem: { sweepMs: 50 } })
  await fixture.readyAre('1:8091')
  await one.instruct('set-fault', {
    modem: 'modem0',
    fault: 'command-refused',
    options: { command: '+CPMS', code: 500 },
  })
  const refusals = () =>
    fixture.actors[0]?.trace.entries().filter(({ text }) => text.includes('+CMS ERROR: 500')).length
  await expect.poll(refusals).toBeGreaterThan(10)
  await one.instruct('clear-fault', { modem: 'modem0' })
  expect(fixture.problems.filter((problem) => problem.includes('cannot read messages from memory SM'))).toHaveLength(1)
})

describe('a SIM', () => {
  test('a SIM that is locked is unlocked with the PIN of its slot, without an alarm', async () => {
    fixture.pins[1] = '1111'
    fixture.pins[2] = '2222'
    plug(one, '1-1.2', 0)
    await fixture.start()
    await fixture.readyAre('1:8091')
    plug(three, '1-1.3', 4)
    // The SIM can be used only some seconds after it was unlocked.
    await expect
      .poll(() =>
        fixture.fleet
          ?.actorOf(2)
          ?.trace.entries()
          .map(({ text }) => text),
      )
      .toContainEqual(expect.stringContaining('+CPIN: READY'))
    expect(fixture.problems).toEqual([])
  })

  test('a SIM that is locked is unlocked with a PIN that was entered later, and a wrong PIN is entered only once', async () => {
    const pinned = await EmulatorProcess.start(quick, { ...second, imei: '356938035648546', pin: '4321' })
    try {
      await fixture.start([pinned.pty])
      const save = vi.fn((_entered: object) => ({ saved: true }) as const)
      const command = { kind: 'enter-pin', cmdId: 'c', simNumber: 1, save: true } as const
      const enter = (pin: string) => runModemCommand(fixture.fleet?.actorOf(1), { ...command, pin }, save)
      await expect.poll(() => fixture.fleet?.simState(1)).toBe('locked')
      expect(await enter('1111')).toMatchObject({ outcome: 'refused', triesLeft: 2, code: 'modem.pin-wrong' })
      expect(await enter('1111')).toMatchObject({ outcome: 'refused', triesLeft: 2 })
      expect(save).not.toHaveBeenCalled()
      expect(await enter('4321')).toEqual({ outcome: 'done', saved: true })
      expect(save.mock.calls).toMatchObject([[{ simNumber: 1, pin: '4321' }]])
      await fixture.readyAre('1:8546')
      expect(await enter('4321')).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('not wait') })
    } finally {
      await pinned.stop()
    }
  })

  test('a SIM works again after a requested restart of its modem', async () => {
    await fixture.start([one.pty])
    await fixture.readyAre('1:8091')
    const command = { kind: 'restart-modem', cmdId: 'c', simNumber: 1 } as const
    expect(await runModemCommand(fixture.fleet?.actorOf(1), command, vi.fn())).toEqual({ outcome: 'done' })
    await expect.poll(() => fixture.stoppedSending).toEqual([1])
    await fixture.readyAre('1:8091')
    const absent = await runModemCommand(fixture.fleet?.actorOf(2), { ...command, simNumber: 2 }, vi.fn())
    expect(absent).toEqual({ outcome: 'refused', reason: 'the modem of SIM 2 is not connected' })
  })

  test('a SIM that replaces another SIM is noticed, also after a restart', async () => {
    const insert = (iccid: string) =>
      two.instruct('insert-sim', { modem: 'modem0', sim: { number: second.number, iccid } })
    await fixture.start([two.pty])
    await fixture.readyAre('1:8182')
    await insert('8944110000000000031')
    await expect
      .poll(() => fixture.problems)
      .toContainEqual(expect.stringContaining('SIM changed (the previous ICCID ended in 0023)'))
    await fixture.readyAre('1:8182')
    expect([...fixture.sending.values()].map(({ iccid }) => iccid)).toEqual(['8944110000000000031'])
    await fixture.stop()
    await insert(second.iccid)
    fixture.problems.length = 0
    await fixture.start([two.pty])
    await expect
      .poll(() => fixture.problems)
      .toContainEqual(expect.stringContaining('the previous ICCID ended in 0031'))
  })

  test('a SIM of a disconnected modem is reported as absent', async () => {
    plug(one, '1-1.2', 0)
    await fixture.start()
    await fixture.readyAre('1:8091')
    await fixture.stop()
    unplug('1-1.2', 0)
    await fixture.start()
    expect(fixture.fleet?.simCards).toEqual([{ simNumber: 1, state: 'absent', isEmulated: true }])
    fixture.numbers[1] = '+447700900001'
    expect(fixture.fleet?.simCards).toEqual([
      { simNumber: 1, state: 'absent', phoneNumber: '+447700900001', isEmulated: true },
    ])
  })

  test('a SIM reports number, operator, signal and network time', async () => {
    await fixture.start([one.pty])
    await fixture.readyAre('1:8091')
    await expect
      .poll(() => fixture.fleet?.simCards)
      .toEqual([
        {
          simNumber: 1,
          state: 'ready',
          phoneNumber: first.number,
          iccid: first.iccid,
          carrierName: expect.any(String),
          signal: expect.any(Number),
          isEmulated: true,
        },
      ])
    await expect.poll(() => fixture.times.length).toBeGreaterThan(0)
  })
})

test('runs a USSD session through the requested SIM', async () => {
  await one.instruct('set-ussd-menu', {
    code: '*111#',
    menu: { text: '1 Balance', choices: { 1: { text: 'You have 3.20' } } },
  })
  const fleet = await fixture.start([one.pty])
  await fixture.readyAre('1:8091')
  const question = await fleet.ussd.ask({ code: '*111#', simNumber: 1 })
  expect(question).toMatchObject({ outcome: 'answered', more: true, sessionId: 'session-1' })
  expect(await fleet.ussd.ask({ code: '*111#' })).toMatchObject({ outcome: 'busy' })
  expect(await fleet.ussd.ask({ code: '1', sessionId: 'session-1' })).toMatchObject({ more: false })
  expect(await fleet.ussd.ask({ code: '*111#', simNumber: 7 })).toMatchObject({ outcome: 'no-sim' })
})

function submit(sim: ActiveSim | undefined) {
  const planned = planMessage({
    content: { kind: 'text', text: 'hello' },
    destination: '+447700900123',
    requestsReport: false,
    reference: 1,
    validForSeconds: undefined,
    sim: { simNumber: 1, iccid: first.iccid },
  })
  const part = planned.ok ? planned.plan.parts[0] : undefined
  if (part === undefined) throw new Error('no part')
  const pdu = { octets: octetsFromHex(part.pdu), tpduLength: part.tpduLength }
  return sim?.submit(pdu, { id: 'm', beforePdu: async () => 'go' })
}
