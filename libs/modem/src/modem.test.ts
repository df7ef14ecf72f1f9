import { addressFromText } from '@smsgw/sms/fields/address'
import { textOfUserData } from '@smsgw/sms/fields/user-data'
import { segment } from '@smsgw/sms/segmentation/segment'
import { encodeSubmit, type Submit } from '@smsgw/sms/tpdu/submit'
import { encodeForModem } from '@smsgw/sms/tpdu/tpdu'
import type { FaultSettings } from '@smsgw/virtual-modem/faults/fault-control'
import type { LedgerEntry } from '@smsgw/virtual-modem/network/ledger'
import { Network } from '@smsgw/virtual-modem/network/network'
import { personalities } from '@smsgw/virtual-modem/personalities/catalogue'
import { seededRandom } from '@smsgw/virtual-modem/random'
import { Sim } from '@smsgw/virtual-modem/sim/sim'
import { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'
import { describe, expect, test } from 'vitest'
import { Modem } from './modem.ts'
import type { ModemEvent } from './modem-event.ts'
import type { ModemOptions } from './modem-options.ts'
import type { Incoming } from './receive/incoming-message.ts'
import { ManualClock } from './testing/manual-clock.ts'

// The driver with a virtual modem: bytes are split and merged at random, and a boot takes as long as with a real modem.

const own = '+447700900001'
const other = '+447700900002'

class World {
  readonly clock = new ManualClock()
  readonly ledger: LedgerEntry[] = []
  readonly events: ModemEvent[] = []
  readonly network: Network
  readonly sim: Sim
  readonly virtual: VirtualModem
  modem: Modem

  constructor(
    personality: string,
    options: ModemOptions = {},
    setting: { pin?: string; faults?: FaultSettings; seed?: number } = {},
  ) {
    const chosen = personalities[personality]
    if (chosen === undefined) throw new Error(`no personality ${personality}`)
    const random = seededRandom(setting.seed ?? 1)
    const clock = {
      nowMs: () => this.clock.nowMs(),
      epochMs: () => Date.UTC(2026, 2, 1, 12) + this.clock.nowMs(),
      after: (delayMs: number, run: () => void) => this.clock.after(delayMs, run),
    }
    this.network = new Network({ clock, random, latencyMs: 1500, onAccepted: (entry) => this.ledger.push(entry) })
    this.sim = new Sim({
      msisdn: own,
      iccid: '89441000000000000011',
      imsi: '234100000000001',
      serviceCentre: '+447700900000',
      ...(setting.pin === undefined ? {} : { pin: setting.pin }),
    })
    let toHost: (bytes: Uint8Array) => void = () => undefined
    let closed: (reason: string) => void = () => undefined
    this.virtual = new VirtualModem({
      personality: chosen,
      sim: this.sim,
      network: this.network,
      clock,
      random,
      onBytes: (bytes) => toHost(bytes),
      onPort: (event) => {
        if (event === 'lost') closed('unplugged')
      },
      ...(setting.faults ? { faults: setting.faults } : {}),
    })
    const open = () =>
      new Modem({
        port: {
          write: (bytes) => this.virtual.receive(bytes),
          onBytes: (listener) => {
            toHost = listener
          },
          onClosed: (listener) => {
            closed = listener
          },
        },
        clock: this.clock,
        onEvent: (event) => {
          this.events.push(event)
        },
        options,
      })
    this.modem = open()
    this.reopen = () => {
      this.modem = open()
    }
    this.virtual.powerOn()
  }

  /** Opens the port again, as its owner does when the port has reappeared. */
  readonly reopen: () => void

  pass(ms: number): Promise<void> {
    return this.clock.advance(ms)
  }

  async until<T>(promise: Promise<T>, limitMs = 300_000): Promise<T> {
    let settled = false
    const watched = promise.finally(() => {
      settled = true
    })
    for (let passed = 0; !settled; passed += 100) {
      if (passed > limitMs) throw new Error('it never ended')
      await this.pass(100)
    }
    return watched
  }

  async untilState(name: string, limitMs = 120_000): Promise<void> {
    for (let passed = 0; this.modem.state.name !== name; passed += 100) {
      if (passed > limitMs) throw new Error(`still ${JSON.stringify(this.modem.state)}`)
      await this.pass(100)
    }
  }

  async ready(): Promise<void> {
    const outcome = await this.until(this.modem.start())
    if (outcome.kind !== 'started') throw new Error(JSON.stringify(outcome))
    await this.untilState('ready')
  }

  submit(text: string, to = other) {
    return this.modem.submit(pduOf(text, to), { id: text, beforePdu: async () => 'go' })
  }

  get incoming(): readonly Incoming[] {
    return this.events.flatMap((event) => (event.kind === 'incoming' ? [event.incoming] : []))
  }

  get texts(): readonly (string | undefined)[] {
    return this.incoming.flatMap((one) => (one.kind === 'message' ? [textOfUserData(one.deliver.userData)] : []))
  }
}

function pduOf(text: string, to: string) {
  const { parts, dataCodingScheme } = segment(text, { reference: 1 })
  const userData = parts[0]
  if (userData === undefined) throw new Error('no part')
  const submit: Submit = {
    kind: 'submit',
    rejectDuplicates: false,
    replyPath: false,
    statusReportRequest: true,
    messageReference: 0,
    destination: addressFromText(to),
    protocolIdentifier: 0,
    dataCodingScheme,
    validityPeriod: undefined,
    userData,
  }
  expect(encodeSubmit(submit).length).toBeLessThan(165)
  return encodeForModem(submit)
}

describe.each(Object.keys(personalities))('%s', (name) => {
  test('the modem is set up from power-on until it is ready', async () => {
    const world = new World(name)
    await world.ready()
    expect(world.modem.session?.identity.imei).toBe(world.virtual.imei)
    expect(world.modem.session?.sim).toMatchObject({ iccid: world.sim.iccid, imsi: world.sim.imsi })
    expect(world.modem.session?.shortcomings).toEqual([])
  })

  test('sends a message and receives its report', async () => {
    const world = new World(name)
    await world.ready()
    const outcome = await world.until(world.submit('hello'))
    expect(outcome).toMatchObject({ kind: 'accepted', messageReference: world.ledger[0]?.messageReference })
    expect(world.ledger).toMatchObject([{ destination: other, text: 'hello' }])
    await world.pass(40_000)
    expect(world.incoming).toMatchObject([{ kind: 'status-report', report: { status: 0 } }])
  })

  test('receives a message and deletes it', async () => {
    const world = new World(name)
    await world.ready()
    world.network.sendText(other, own, 'hello you')
    await world.pass(10_000)
    expect(world.texts).toEqual(['hello you'])
    const [message] = world.incoming
    if (message?.source.kind !== 'stored') throw new Error('not stored')
    expect(await world.until(world.modem.deleteMessage(message.source, message.pdu))).toEqual({ kind: 'deleted' })
    await world.pass(70_000)
    expect(world.texts).toEqual(['hello you'])
  })

  test('finds a message that arrived without an indication', async () => {
    const world = new World(name, {}, { faults: { 'urc-lost': {} } })
    await world.ready()
    world.network.sendText(other, own, 'quiet')
    await world.pass(45_000)
    expect(world.texts).toEqual(['quiet'])
  })

  test('the modem receives its PIN once', async () => {
    const world = new World(name, { simPin: '1234' }, { pin: '1234' })
    await world.ready()
    expect((await world.until(world.submit('locked'))).kind).toBe('accepted')
  })

  test('the modem never receives a wrong PIN a second time', async () => {
    const world = new World(name, { simPin: '9999' }, { pin: '1234' })
    expect(await world.until(world.modem.start())).toMatchObject({ kind: 'failed', failure: { reason: 'pin-wrong' } })
    await world.pass(600_000)
    expect(world.sim.snapshot().pinAttemptsLeft).toBe(2)
    expect(world.modem.state.name).toBe('blocked')
  })

  test('the modem works again after a restart during use', async () => {
    const world = new World(name, {}, {})
    await world.ready()
    world.virtual.reboot()
    await world.pass(200)
    if (world.modem.state.name === 'absent') {
      await world.pass(30_000)
      world.reopen()
      void world.modem.start()
    }
    await world.pass(60_000)
    await world.untilState('ready', 300_000)
    expect((await world.until(world.submit('after'))).kind).toBe('accepted')
    world.network.sendText(other, own, 'back')
    await world.pass(40_000)
    expect(world.texts).toContain('back')
  })

  test('the modem answers USSD', async () => {
    const world = new World(name)
    await world.ready()
    world.network.setUssdMenu('*100#', { text: 'Balance 3.20' })
    expect(await world.until(world.modem.ussd('*100#'))).toEqual({
      kind: 'answer',
      status: 'answered',
      text: 'Balance 3.20',
    })
  })
})

describe('faults', () => {
  test.each([
    ['quectel-ec25', { 'urc-flood': { perSecond: 200 } }],
    ['huawei-e3372', { 'urc-flood': { perSecond: 200 } }],
    ['simcom-sim800', { 'bytes-one-by-one': {} }],
    ['generic', { noise: { chance: 0.3 } }],
    ['generic', { 'echo-stuck': {} }],
    ['simcom-sim7600', { 'prompt-without-space': {} }],
    ['simcom-sim7600', { 'prompt-with-newline': {} }],
    ['simcom-sim7600', { 'prompt-late': {} }],
    ['generic', { 'urc-before-answer': { chance: 0.5 }, 'urc-before-pdu': {}, 'urc-inside-list': {} }],
  ] satisfies [string, FaultSettings][])('%s with %j sends and receives', async (name, faults) => {
    const world = new World(name, {}, { faults })
    await world.ready()
    for (const text of ['one', 'two', 'three']) {
      expect(await world.until(world.submit(text))).toMatchObject({ kind: 'accepted' })
    }
    expect(world.ledger.map((entry) => entry.text)).toEqual(['one', 'two', 'three'])
    world.network.sendText(other, own, 'hi')
    await world.pass(40_000)
    expect(world.texts).toEqual(['hi'])
  })

  test.each(['generic', 'simcom-sim7600', 'huawei-e3372'])(
    '%s: a query of the SIM during a message does not delay the next message',
    async (name) => {
      const faults = { 'sim-toolkit': { whileSending: true, forMs: 600_000 } }
      const world = new World(name, {}, { faults })
      await world.ready()
      const beganAtMs = world.clock.nowMs()
      for (const text of ['one', 'two', 'three']) {
        expect(await world.until(world.submit(text))).toMatchObject({ kind: 'accepted' })
      }
      expect(world.clock.nowMs() - beganAtMs).toBeLessThan(30_000)
      expect(world.ledger.map((entry) => entry.text)).toEqual(['one', 'two', 'three'])
    },
  )

  test.each(['generic', 'simcom-sim7600', 'huawei-e3372'])(
    '%s: a query of the SIM after the start does not stop setup',
    async (name) => {
      const world = new World(name, {}, { faults: { 'sim-toolkit': { type: 36, times: 1, forMs: 600_000 } } })
      await world.ready()
      expect(await world.until(world.submit('hello'))).toMatchObject({ kind: 'accepted' })
    },
  )

  test.each(['generic', 'quectel-ec25', 'simcom-sim800'])(
    '%s is used although a crashed program left it in a data call',
    async (name) => {
      const world = new World(name, {}, { faults: { 'data-mode': { times: 1 } } })
      await world.ready()
      expect(await world.until(world.submit('hello'))).toMatchObject({ kind: 'accepted' })
    },
  )

  test('reports a message as unknown when its answer is lost, until the status report proves that it was sent', async () => {
    const world = new World('generic', {}, { faults: { 'submit-answer-lost': { times: 1 } } })
    await world.ready()
    expect(await world.until(world.submit('lost'))).toMatchObject({ kind: 'unknown', why: 'answer-lost' })
    await world.pass(60_000)
    expect(world.incoming).toMatchObject([{ kind: 'status-report', report: { status: 0 } }])
  })
})
