import type { SendCommand } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { type SeededRandom, seededRandom } from '@smsgw/virtual-modem/random'
import type { Change } from '../src/journal/change.ts'
import {
  defaultSendingLimits,
  defaultSendingSettings,
  type SendingLimits,
} from '../src/sending/schedule/sending-settings.ts'
import { Sender } from '../src/sending/sender.ts'
import type { SendingSim } from '../src/sending/sending-sim.ts'
import { ClearOpener, sealed } from '../src/testing/clear-opener.ts'
import { ManualTime } from '../src/testing/manual-time.ts'
import { MemoryJournal } from '../src/testing/memory-journal.ts'
import { SimulatedSim } from './simulated-network.ts'

/** A sending agent and its environment, with random refusals, silence, kills, cancels and disk failures. */
export class SendingWorld {
  readonly clock = new ManualClock()
  readonly random: SeededRandom
  readonly time = new ManualTime(this.clock)
  readonly disk: MemoryJournal
  readonly sims: readonly SimulatedSim[]
  /** The commands that the sender has accepted, which means that `accept` has resolved. */
  readonly accepted = new Map<string, SendCommand>()
  readonly cancelled = new Set<string>()
  readonly problems: unknown[] = []
  kills = 0
  /** The SIMs that are attached to the sender, because their modem is set up. */
  readonly #attached = new Map<SimulatedSim, SendingSim>()
  readonly #limits: SendingLimits
  #process: { readonly sender: Sender; readonly kill: () => void; isAlive: boolean } | undefined
  #commands = 0
  #reports = 0

  constructor(seed: number) {
    this.random = seededRandom(seed)
    this.disk = new MemoryJournal(
      this.clock,
      () => this.random.next(),
      () => this.clock.epochMs(),
    )
    // A real agent checks again after a minute. The simulated agent usually sleeps longer, because days without an
    // event would take long to simulate, and because long sleeps reveal a missing timer.
    this.#limits = { ...defaultSendingLimits, ...(seed % 8 !== 0 && { longestSleepMs: 12 * 60 * 60_000 }) }
    const faultRate = [0, 0.5, 1, 1.5][this.random.integer(4)] as number
    this.sims = Array.from(
      { length: 1 + this.random.integer(2) },
      (_, at) => new SimulatedSim(at + 1, this.clock, seededRandom(seed * 7 + at), faultRate),
    )
  }

  get sender(): Sender | undefined {
    return this.#process?.sender
  }

  async start(): Promise<void> {
    const { journal, kill } = this.disk.session()
    const sender = new Sender({
      journal,
      clock: this.clock,
      time: this.time,
      random: () => this.random.next(),
      limits: this.#limits,
      opener: new ClearOpener(),
      journalWatch: {
        onProblem: (error) => {
          if (error.reason !== 'full') this.problems.push(error)
        },
      },
      onReference: () => void this.#tryReportsAgain(),
      onProblem: (error) => this.problems.push(error),
      onOpenChanged: () => undefined,
    })
    const process = { sender, kill, isAlive: true }
    this.#process = process
    await sender.restore()
    sender.confirm()
    this.changeSettings()
    for (const sim of this.sims) {
      sim.onReport = (iccid, report) => void this.#report(iccid, report)
      sim.onLate = (id, outcome) => void sender.lateResult(id, outcome)
      await sender.simReady(this.#attach(sim, process))
    }
  }

  changeSettings(): void {
    const isSlow = this.random.next() < 0.3
    this.sender?.use({
      pace: {
        ...defaultSendingSettings.pace,
        ...(isSlow && { intervalMinMs: 1000, intervalMaxMs: 20_000 }),
        limit: this.random.next() < 0.3 ? { periodMs: 60 * 60_000, value: 1 + this.random.integer(8) } : undefined,
      },
      order: this.random.next() < 0.5 ? 'LIFO' : 'FIFO',
      simSelection: (['OSDefault', 'RoundRobin', 'Random'] as const)[this.random.integer(3)] as 'Random',
    })
  }

  /**
   * Unplugs a SIM and plugs it in again, sometimes before the sender has noticed the removal, sometimes several times.
   */
  replugSim(): void {
    const process = this.#process
    const sim = this.sims[this.random.integer(this.sims.length)]
    if (process === undefined || sim === undefined) return
    const leave = () => {
      const known = this.#attached.get(sim)
      if (known !== undefined) process.sender.simGone(known)
    }
    leave()
    const isIn = () => process.isAlive && this.sender === process.sender
    const enter = () => isIn() && void process.sender.simReady(this.#attach(sim, process))
    if (this.random.next() < 0.3) enter()
    if (this.random.next() < 0.3) leave()
    this.clock.after(this.random.integer(60_000), enter)
  }

  /** Disconnects a SIM from the network, for a moment or longer. */
  loseNetwork(): void {
    const { sender } = this
    const known = this.#attached.get(this.sims[this.random.integer(this.sims.length)] as SimulatedSim)
    if (sender === undefined || known === undefined) return
    const isStill = () => this.sender === sender && [...this.#attached.values()].includes(known)
    const times = 1 + this.random.integer(5)
    const pauseMs = this.random.next() < 0.7 ? 1000 : 20_000
    for (let time = 0; time < times; time += 1) {
      this.clock.after(
        2 * time * pauseMs + this.random.integer(pauseMs),
        () => isStill() && sender.simLostNetwork(known),
      )
      this.clock.after((2 * time + 1) * pauseMs + this.random.integer(pauseMs), () => {
        if (isStill()) void sender.simReady(known)
      })
    }
  }

  /** Makes the clock untrusted, and sometimes also wrong, for some minutes. */
  loseTime(): void {
    this.time.trusted = false
    this.time.errorMs = this.random.next() < 0.5 ? 0 : -this.random.integer(400 * 24 * 60 * 60_000)
    this.clock.after(this.random.integer(10 * 60_000), () => {
      this.time.trusted = true
      this.time.errorMs = 0
      this.sender?.timeChanged()
      void this.#tryReportsAgain()
    })
  }

  fillDisk(): void {
    this.disk.isFull = true
    this.clock.after(this.random.integer(5 * 60_000), () => {
      this.disk.isFull = false
    })
  }

  forget(): void {
    const nowMs = this.time.trusted ? this.clock.epochMs() : undefined
    this.disk.forget({ nowMs, recordsMs: 8 * 24 * 60 * 60_000 })
  }

  kill(): void {
    const process = this.#process
    if (process === undefined) return
    this.kills += 1
    process.isAlive = false
    process.kill()
    process.sender.stop()
    this.#process = undefined
  }

  accept(): void {
    const cmdId = `c${++this.#commands}`
    const isLong = this.random.next() < 0.4
    const isEncrypted = this.random.next() < 0.3
    const written = (text: string) => (isEncrypted ? sealed(text) : text)
    const command: SendCommand = {
      kind: 'send',
      cmdId,
      messageId: `m${cmdId}`,
      phoneNumber: written(`+44770090${String(1000 + this.random.integer(4))}`),
      content: { text: written(`${cmdId} ${isLong ? `${cmdId}-`.repeat(60 + this.random.integer(80)) : 'hello'}`) },
      isEncrypted,
      withDeliveryReport: this.random.next() < 0.8,
      priority: this.random.integer(3) * 50,
      acceptedAt: new Date(this.clock.epochMs()).toISOString(),
      onUncertain: this.random.next() < 0.15 ? 'resend' : 'resolve',
      ...(this.random.next() < 0.2 && { simNumber: 1 }),
      ...(this.random.next() < 0.3 && {
        validUntil: new Date(this.clock.epochMs() + 5000 + this.random.integer(600_000)).toISOString(),
      }),
    }
    const { sender } = this
    // Sometimes a frame contains the command twice.
    const frame = this.random.next() < 0.1 ? [command, command] : [command]
    sender?.accept(frame).then(
      () => this.accepted.set(cmdId, command),
      () => undefined,
    )
    // Sometimes repeats commands, as the relay does after the link breaks.
    if (this.random.next() < 0.2)
      this.clock.after(this.random.integer(60_000), () => void this.sender?.accept([command]).catch(() => undefined))
  }

  cancel(): void {
    const cmdId = `c${1 + this.random.integer(this.#commands + 1)}`
    this.cancelled.add(cmdId)
    this.sender?.cancel(cmdId).catch(() => undefined)
  }

  #attach(sim: SimulatedSim, process: { readonly isAlive: boolean }): SendingSim {
    const attached = sim.attach(() => process.isAlive)
    this.#attached.set(sim, attached)
    return attached
  }

  async events(): Promise<readonly AgentEvent[]> {
    const { journal } = this.disk.session()
    return (await journal.read('events', { after: 0, most: 100_000 })).map(({ event }) => event)
  }

  /** Returns the counts of events, submitted parts and open messages. */
  async done(): Promise<string> {
    const parts = this.sims.reduce((sum, { ledger }) => sum + ledger.length, 0)
    return `${(await this.events()).length} events, ${parts} parts, ${this.sender?.open} open`
  }

  /** Keeps unmatched reports until their reference becomes known, as the receiver does. */
  readonly #unmatched: Parameters<Sender['report']>[] = []

  async #report(...report: Parameters<Sender['report']>): Promise<void> {
    const { sender } = this
    if (sender === undefined) this.#unmatched.push(report)
    else await (sender.recentReport(...report, () => this.#received(report[0])) ?? this.#compare(sender, report))
  }

  async #compare(sender: Sender, report: Parameters<Sender['report']>): Promise<void> {
    if (!(await sender.report(...report))) this.#unmatched.push(report)
  }

  #received(iccid: string): Change {
    this.#reports += 1
    const pduId = `report-${this.#reports}`
    const at = this.time.stamp()
    return { kind: 'inbound-received', pduId, iccid, simNumber: 1, pdu: '', at, settled: 'report' }
  }

  async #tryReportsAgain(): Promise<void> {
    for (const report of this.#unmatched.splice(0)) await this.#report(...report)
  }
}
