import type { SendCommand } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { type Random, seededRandom } from '@smsgw/virtual-modem/random'
import { Sender } from '../src/sending/sender.ts'
import { defaultSendingLimits, defaultSendingSettings } from '../src/sending/sending-settings.ts'
import { ManualTime } from '../src/testing/manual-time.ts'
import { MemoryJournal } from '../src/testing/memory-journal.ts'
import { SimulatedSim } from './simulated-network.ts'

/** An agent that sends, in a world where all of it goes wrong now and then: refusals, silence, kills, cancels. */
export class SendingWorld {
  readonly clock = new ManualClock()
  readonly random: Random
  readonly time = new ManualTime(this.clock)
  readonly disk: MemoryJournal
  readonly sims: readonly SimulatedSim[]
  /** What `accept` has resolved for. */
  readonly accepted = new Map<string, SendCommand>()
  readonly cancelled = new Set<string>()
  readonly troubles: unknown[] = []
  kills = 0
  #process: { readonly sender: Sender; readonly kill: () => void; isAlive: boolean } | undefined
  #commands = 0

  constructor(seed: number) {
    this.random = seededRandom(seed)
    this.disk = new MemoryJournal(
      this.clock,
      () => this.random.next(),
      () => this.clock.epochMs(),
    )
    const troubles = [0, 0.5, 1, 1.5][this.random.integer(4)] as number
    this.sims = Array.from(
      { length: 1 + this.random.integer(2) },
      (_, at) => new SimulatedSim(at + 1, this.clock, seededRandom(seed * 7 + at), troubles),
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
      chance: () => this.random.next(),
      limits: defaultSendingLimits,
      opener: undefined,
      onJournalTrouble: (error) => {
        throw error
      },
      onReference: () => void this.#tryReportsAgain(),
      onTrouble: (error) => this.troubles.push(error),
      onOpenChanged: () => undefined,
    })
    const process = { sender, kill, isAlive: true }
    this.#process = process
    await sender.restore()
    sender.confirm()
    if (this.random.next() < 0.3) sender.use({ ...defaultSendingSettings, order: 'LIFO', simSelection: 'RoundRobin' })
    for (const sim of this.sims) {
      sim.onReport = (iccid, report) => void this.#report(iccid, report)
      sim.onLate = (id, outcome) => void sender.lateResult(id, outcome)
      await sender.simReady(sim.attach(() => process.isAlive))
    }
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
    const command: SendCommand = {
      kind: 'send',
      cmdId,
      messageId: `m${cmdId}`,
      phoneNumber: `+44770090${String(1000 + this.random.integer(4))}`,
      content: { text: `${cmdId} ${isLong ? `${cmdId}-`.repeat(60 + this.random.integer(80)) : 'hello'}` },
      isEncrypted: false,
      withDeliveryReport: this.random.next() < 0.8,
      priority: this.random.integer(3) * 50,
      acceptedAt: new Date(this.clock.epochMs()).toISOString(),
      onUncertain: 'resolve',
      ...(this.random.next() < 0.2 && { simNumber: 1 }),
      ...(this.random.next() < 0.3 && {
        validUntil: new Date(this.clock.epochMs() + 5000 + this.random.integer(600_000)).toISOString(),
      }),
    }
    const { sender } = this
    void sender?.accept([command]).then(() => this.accepted.set(cmdId, command))
    // Commands come twice when the link breaks.
    if (this.random.next() < 0.2)
      this.clock.after(this.random.integer(60_000), () => void this.sender?.accept([command]))
  }

  cancel(): void {
    const cmdId = `c${1 + this.random.integer(this.#commands + 1)}`
    this.cancelled.add(cmdId)
    void this.sender?.cancel(cmdId)
  }

  async events(): Promise<readonly AgentEvent[]> {
    const { journal } = this.disk.session()
    return (await journal.read('events', { after: 0, most: 100_000 })).map(({ event }) => event)
  }

  /** Kept by whoever receives, and tried again when a reference becomes known. */
  readonly #unmatched: Parameters<Sender['report']>[] = []

  async #report(...report: Parameters<Sender['report']>): Promise<void> {
    const { sender } = this
    if (sender === undefined || !(await sender.report(...report))) this.#unmatched.push(report)
  }

  async #tryReportsAgain(): Promise<void> {
    for (const report of this.#unmatched.splice(0)) await this.#report(...report)
  }
}
