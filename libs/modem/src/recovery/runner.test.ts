import { timePasser } from '@smsgw/simulation/pass-time'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { Network } from '@smsgw/virtual-modem/network/network'
import { quectelEc25 } from '@smsgw/virtual-modem/personalities/quectel-ec25'
import { seededRandom } from '@smsgw/virtual-modem/random'
import { Sim } from '@smsgw/virtual-modem/sim/sim'
import { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'
import { describe, expect, test } from 'vitest'
import { SimulatedCable } from '../../sim/cable.ts'
import type { Clock } from '../clock.ts'
import type { ModemEvent } from '../modem-event.ts'
import { type ClosablePort, type OpenResult, RecoveryRunner } from './runner.ts'
import type { RecoveryEffect } from './state.ts'

const passTime = timePasser(process.nextTick)

const card = () => new Sim({ msisdn: '+447700900111', iccid: '8944110000000900111', imsi: '001010000900111' })

/** A runner and its modem, on a virtual clock. */
class Rig {
  readonly clock = new ManualClock()
  readonly modem: VirtualModem
  readonly runner: RecoveryRunner
  readonly news: RecoveryEffect[] = []
  readonly events: ModemEvent[] = []
  readonly written: string[] = []
  readonly #cable: SimulatedCable
  opened = 0
  /** Bytes that the device refuses to accept. */
  failWrites: (text: string) => boolean = () => false
  /** If set, `open` returns this result instead of the port. */
  openInstead: (() => Promise<OpenResult>) | undefined

  constructor(options: { readonly sim?: Sim | undefined } = { sim: card() }) {
    const random = seededRandom(1)
    this.#cable = new SimulatedCable(this.clock, 1, (bytes) => {
      this.written.push(String.fromCharCode(...bytes))
      this.modem.receive(bytes)
    })
    this.modem = new VirtualModem({
      personality: quectelEc25,
      sim: options.sim,
      network: new Network({ clock: this.clock, random }),
      clock: this.clock,
      random,
      onBytes: (bytes) => this.#cable.fromModem(bytes),
      onPort: (event) => {
        this.#cable.plugged = event === 'back'
      },
    })
    this.modem.powerOn({ warm: true })
    this.runner = new RecoveryRunner({
      clock: this.clock,
      open: () => {
        this.opened += 1
        return this.openInstead?.() ?? this.#open()
      },
      onEvent: (event) => {
        this.events.push(event)
      },
      onNews: (news) => {
        this.news.push(news)
      },
    })
    this.runner.start()
  }

  async #open(): Promise<OpenResult> {
    const result = await this.#cable.open()
    if (result.kind !== 'opened') return result
    const { port } = result
    if (!('write' in port)) return result
    const write = (bytes: Uint8Array) => {
      if (this.failWrites(String.fromCharCode(...bytes))) throw new Error('EIO')
      port.write(bytes)
    }
    const onBytes = (listener: (bytes: Uint8Array) => void) => port.onBytes(listener)
    const onClosed = (listener: (reason: string) => void) => port.onClosed(listener)
    return { kind: 'opened', port: { write, onBytes, onClosed, close: () => port.close() } }
  }

  until(state: string, mostMs = 600_000): Promise<boolean> {
    return passTime(this.clock, mostMs, () => this.runner.state?.kind === state)
  }

  pass(ms: number): Promise<boolean> {
    return passTime(this.clock, ms)
  }

  get newsKinds(): string[] {
    return this.news.map(({ kind }) => kind)
  }

  get resets(): number {
    return this.written.filter((text) => text.includes('AT+CFUN=1,1')).length
  }
}

/** A port that the other end closes after the port was opened, before any data arrives. */
class StillbornPort implements ClosablePort {
  readonly #clock: Clock
  readonly write = () => undefined
  readonly onBytes = () => undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  onClosed(listener: (reason: string) => void): void {
    this.#clock.after(1, () => listener('the other side closed'))
  }

  readonly close = async () => undefined
}

/** A port that is already lost, so it calls each new listener at once. */
class LostPort implements ClosablePort {
  readonly write = () => undefined
  readonly onBytes = () => undefined
  readonly onClosed = (listener: (reason: string) => void) => listener('it was pulled')
  readonly close = async () => undefined
}

class LatePort implements ClosablePort {
  closed = 0
  readonly write = () => undefined
  readonly onBytes = () => undefined
  readonly onClosed = () => undefined

  async close(): Promise<void> {
    this.closed += 1
  }
}

test('opens the port, sets the modem up and keeps it working', async () => {
  const rig = new Rig()
  expect(await rig.until('healthy')).toBe(true)
  await rig.pass(3_600_000)
  expect(rig.runner.modem?.state.name).toBe('ready')
  expect(rig.runner.state?.kind).toBe('healthy')
  expect(rig.newsKinds).toEqual(['healed'])
})

test('handles a port that is lost before a listener is attached like any other lost port', async () => {
  const rig = new Rig()
  await rig.until('healthy')
  rig.openInstead = async () => {
    rig.openInstead = undefined
    return { kind: 'opened', port: new LostPort() }
  }
  rig.modem.unplug(1_000)
  await rig.until('away')
  expect(await rig.until('healthy')).toBe(true)
  expect(rig.openInstead).toBeUndefined()
})

test('sets an unplugged modem up again when it is back', async () => {
  const rig = new Rig()
  await rig.until('healthy')
  const before = rig.runner.modem
  rig.modem.unplug(30_000)
  await rig.until('away')
  expect(rig.runner.modem).toBeUndefined()
  expect(await rig.until('healthy')).toBe(true)
  expect(rig.runner.modem).not.toBe(before)
  await rig.pass(5_000)
  expect(rig.runner.modem?.state.name).toBe('ready')
  expect(rig.news.at(-1)).toMatchObject({ kind: 'healed', by: undefined })
})

test('ends all calls to a lost modem', async () => {
  const rig = new Rig()
  await rig.until('healthy')
  rig.modem.faults.set('answer-lost', { command: '+CSQ' })
  const signal = rig.runner.modem?.signal()
  await rig.pass(100)
  rig.modem.unplug()
  await rig.pass(100)
  expect(await Promise.race([signal, Promise.resolve('open')])).toBeUndefined()
})

describe('a modem that hangs', () => {
  const hung = async () => {
    const rig = new Rig()
    await rig.until('healthy')
    rig.modem.faults.set('modem-hang', { command: '+CSQ', times: 1 })
    await rig.until('resynchronising')
    return rig
  }

  test('a modem that hangs is reset three times although it does not answer; then an alarm is raised, and there are no more resets', async () => {
    const rig = await hung()
    expect(await rig.until('alarm', 7_200_000)).toBe(true)
    expect(rig.resets).toBe(3)
    expect(rig.news.at(-1)).toMatchObject({ kind: 'raise-alarm', cause: { kind: 'no-remedy' } })
    await rig.pass(24 * 3_600_000)
    expect(rig.resets).toBe(3)
    expect(rig.newsKinds).toEqual(['healed', 'raise-alarm'])
  })

  test('a modem that hangs recovers when it is replugged, with or without an alarm', async () => {
    const rig = await hung()
    await rig.until('alarm', 7_200_000)
    rig.modem.unplug(5_000)
    expect(await rig.until('healthy')).toBe(true)
    // The short absence is also reported, because it is another cause of the alarm.
    expect(rig.newsKinds).toEqual(['healed', 'raise-alarm', 'raise-alarm', 'clear-alarm', 'healed'])
    await rig.pass(5_000)
    expect(rig.runner.modem?.state.name).toBe('ready')
  })
})

test('does not reset a modem without a SIM, and waits until a SIM is inserted', async () => {
  const rig = new Rig({ sim: undefined })
  expect(await rig.until('alarm')).toBe(true)
  expect(rig.news.at(-1)).toMatchObject({ kind: 'raise-alarm', cause: { kind: 'needs-hands' } })
  await rig.pass(600_000)
  expect(rig.resets).toBe(0)
  rig.modem.insertSim(card())
  expect(await rig.until('healthy')).toBe(true)
  expect(rig.newsKinds.slice(-2)).toEqual(['clear-alarm', 'healed'])
})

test('raises an alarm at once when another program holds the port, and opens the port when the program has released it', async () => {
  const held = new Rig()
  await held.until('healthy')
  held.openInstead = async () => ({ kind: 'refused', words: 'another program holds this port' })
  held.modem.unplug(0)
  expect(await held.until('alarm')).toBe(true)
  expect(held.news.at(-1)).toMatchObject({ cause: { kind: 'port-refused', words: 'another program holds this port' } })
  held.openInstead = undefined
  expect(await held.until('healthy')).toBe(true)
})

test('treats an unexpected error while opening as a refused port', async () => {
  const rig = new Rig()
  await rig.until('healthy')
  rig.openInstead = () => Promise.reject(new Error('the driver of the driver'))
  rig.modem.unplug(1_000)
  expect(await rig.until('alarm')).toBe(true)
  expect(rig.news.at(-1)).toMatchObject({ cause: { kind: 'port-refused', words: 'the driver of the driver' } })
})

describe('a port that can be opened and is lost at once, like the port of a busy ser2net', () => {
  const flapping = async () => {
    const rig = new Rig()
    await rig.until('healthy')
    rig.openInstead = async () => ({ kind: 'opened', port: new StillbornPort(rig.clock) })
    rig.modem.unplug(1_000)
    return rig
  }

  test('a port that can be opened and is lost at once is tried every two seconds, and an alarm is raised after two minutes', async () => {
    const rig = await flapping()
    rig.opened = 0
    expect(await rig.until('alarm')).toBe(true)
    expect(rig.news.at(-1)).toMatchObject({
      kind: 'raise-alarm',
      cause: { kind: 'gone', words: 'the other side closed' },
    })
    expect(rig.opened).toBeLessThan(70)
    expect(rig.resets).toBe(0)
  })

  test('after the alarm, a port that is lost at once is tried every half minute, and is used when it stays open', async () => {
    const rig = await flapping()
    await rig.until('alarm')
    rig.opened = 0
    await rig.pass(600_000)
    expect(rig.opened).toBeLessThan(25)
    expect(rig.newsKinds).toEqual(['healed', 'raise-alarm'])
    rig.openInstead = undefined
    expect(await rig.until('healthy')).toBe(true)
  })
})

test('a modem that fails during the reset command is handled as lost', async () => {
  const rig = new Rig()
  await rig.until('healthy')
  rig.modem.faults.set('modem-hang', { command: '+CSQ', times: 1 })
  await rig.until('resynchronising')
  let openedThen: number | undefined
  rig.failWrites = (text) => {
    if (!text.includes('+CFUN=1,1')) return false
    openedThen = rig.opened
    return true
  }
  await passTime(rig.clock, 600_000, () => openedThen !== undefined)
  await rig.pass(100)
  expect(rig.opened).toBe((openedThen ?? 0) + 1)
  rig.failWrites = () => false
  rig.modem.unplug(1_000)
  expect(await rig.until('healthy')).toBe(true)
})

test('closes a port that opens too late', async () => {
  const rig = new Rig()
  await rig.until('healthy')
  const late = new LatePort()
  rig.openInstead = () =>
    new Promise((resolve) => rig.clock.after(20_000, () => resolve({ kind: 'opened', port: late })))
  rig.modem.unplug(1_000)
  await rig.until('away')
  await rig.pass(21_000)
  expect(late.closed).toBe(1)
})

test('closes the port when stopped, and opens no further port', async () => {
  const rig = new Rig()
  await rig.until('healthy')
  const stopped = rig.runner.stop()
  await rig.pass(10)
  await stopped
  expect(rig.runner.modem).toBeUndefined()
  const { opened } = rig
  rig.runner.deviceAppeared()
  await rig.pass(3_600_000)
  expect(rig.opened).toBe(opened)
})

test('waits for a port that is opening when stopped, and closes it', async () => {
  const rig = new Rig()
  await rig.until('healthy')
  const late = new LatePort()
  rig.openInstead = () =>
    new Promise((resolve) => rig.clock.after(1_000, () => resolve({ kind: 'opened', port: late })))
  rig.modem.unplug(1)
  await rig.until('away')
  const stopped = rig.runner.stop()
  await rig.pass(1_000)
  await stopped
  expect(late.closed).toBe(1)
})
