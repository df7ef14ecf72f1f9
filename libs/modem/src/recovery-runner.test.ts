import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { Network } from '@smsgw/virtual-modem/network'
import { quectelEc25 } from '@smsgw/virtual-modem/personalities/quectel-ec25'
import { seededRandom } from '@smsgw/virtual-modem/random'
import { Sim } from '@smsgw/virtual-modem/sim'
import { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'
import { describe, expect, test } from 'vitest'
import { Cable } from '../sim/cable.ts'
import { passTime } from '../sim/pass-time.ts'
import type { Clock } from './clock.ts'
import type { ModemEvent } from './modem-event.ts'
import { type ClosablePort, type OpenResult, RecoveryRunner } from './recovery-runner.ts'
import type { RecoveryEffect } from './recovery-state.ts'

const card = () => new Sim({ msisdn: '+447700900111', iccid: '8944110000000900111', imsi: '001010000900111' })

/** A runner and the modem it keeps, on a virtual clock. */
class Rig {
  readonly clock = new ManualClock()
  readonly modem: VirtualModem
  readonly runner: RecoveryRunner
  readonly news: RecoveryEffect[] = []
  readonly events: ModemEvent[] = []
  readonly written: string[] = []
  readonly #cable: Cable
  opened = 0
  /** What the device refuses to take. */
  failWrites: (text: string) => boolean = () => false
  /** Another answer than the port, while there is one. */
  openInstead: (() => Promise<OpenResult>) | undefined

  constructor(options: { readonly sim?: Sim | undefined } = { sim: card() }) {
    const random = seededRandom(1)
    this.#cable = new Cable(this.clock, 1, (bytes) => {
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

/** Opened, and closed by the other side before anything was said. */
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

/** Says so to whoever asks, at once. */
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

test('opens the port, sets the modem up and keeps it', async () => {
  const rig = new Rig()
  expect(await rig.until('healthy')).toBe(true)
  await rig.pass(3_600_000)
  expect(rig.runner.modem?.state.name).toBe('ready')
  expect(rig.runner.state?.kind).toBe('healthy')
  expect(rig.newsKinds).toEqual(['healed'])
})

test('a port that is lost before anybody could listen to it is a port that is lost, and nothing worse', async () => {
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

test('a modem that was unplugged is set up again when it is back, without anybody doing anything', async () => {
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

test('what was asked of a modem that is lost comes to an end', async () => {
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

  test('is reset three times though it does not answer, then left alone, and somebody is told', async () => {
    const rig = await hung()
    expect(await rig.until('alarm', 7_200_000)).toBe(true)
    expect(rig.resets).toBe(3)
    expect(rig.news.at(-1)).toMatchObject({ kind: 'raise-alarm', cause: { kind: 'no-remedy' } })
    await rig.pass(24 * 3_600_000)
    expect(rig.resets).toBe(3)
    expect(rig.newsKinds).toEqual(['healed', 'raise-alarm'])
  })

  test('heals by itself, alarm or not, once somebody has plugged it in anew', async () => {
    const rig = await hung()
    await rig.until('alarm', 7_200_000)
    rig.modem.unplug(5_000)
    expect(await rig.until('healthy')).toBe(true)
    // That it is gone for a moment is told as well: it is another cause.
    expect(rig.newsKinds).toEqual(['healed', 'raise-alarm', 'raise-alarm', 'clear-alarm', 'healed'])
    await rig.pass(5_000)
    expect(rig.runner.modem?.state.name).toBe('ready')
  })
})

test('a modem without a SIM is left alone until there is one', async () => {
  const rig = new Rig({ sim: undefined })
  expect(await rig.until('alarm')).toBe(true)
  expect(rig.news.at(-1)).toMatchObject({ kind: 'raise-alarm', cause: { kind: 'needs-hands' } })
  await rig.pass(600_000)
  expect(rig.resets).toBe(0)
  rig.modem.insertSim(card())
  expect(await rig.until('healthy')).toBe(true)
  expect(rig.newsKinds.slice(-2)).toEqual(['clear-alarm', 'healed'])
})

test('a port that another program holds is told at once, and opened when it is free', async () => {
  const held = new Rig()
  await held.until('healthy')
  held.openInstead = async () => ({ kind: 'refused', words: 'another program holds this port' })
  held.modem.unplug(0)
  expect(await held.until('alarm')).toBe(true)
  expect(held.news.at(-1)).toMatchObject({ cause: { kind: 'port-refused', words: 'another program holds this port' } })
  held.openInstead = undefined
  expect(await held.until('healthy')).toBe(true)
})

test('opening that fails in a way nobody thought of is a port that is refused', async () => {
  const rig = new Rig()
  await rig.until('healthy')
  rig.openInstead = () => Promise.reject(new Error('the driver of the driver'))
  rig.modem.unplug(1_000)
  expect(await rig.until('alarm')).toBe(true)
  expect(rig.news.at(-1)).toMatchObject({ cause: { kind: 'port-refused', words: 'the driver of the driver' } })
})

describe('a port that can be opened and is lost at once, as that of a busy ser2net', () => {
  const flapping = async () => {
    const rig = new Rig()
    await rig.until('healthy')
    rig.openInstead = async () => ({ kind: 'opened', port: new StillbornPort(rig.clock) })
    rig.modem.unplug(1_000)
    return rig
  }

  test('is tried every two seconds, and somebody is told after two minutes', async () => {
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

  test('is tried every half minute from then on, and kept when it stays', async () => {
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

test('a port that fails in the middle of being told to reset is a port that was lost', async () => {
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

test('a port that opens when nobody waits for it any more is closed again', async () => {
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

test('stopping gives the port back and nothing is opened any more', async () => {
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

test('stopping waits for a port that is just being opened, and closes it', async () => {
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
