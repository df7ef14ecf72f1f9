import type { AgentEvent } from '@smsgw/contract/link/event'
import { readIncoming } from '@smsgw/modem/receive/incoming-message'
import { addressFromText } from '@smsgw/sms/fields/address'
import { timeStampFromEpochMs } from '@smsgw/sms/fields/time-stamp'
import type { UserData } from '@smsgw/sms/fields/user-data'
import { hexFromOctets } from '@smsgw/sms/octets'
import { segment, segmentData } from '@smsgw/sms/segmentation/segment'
import { encodeStatusReport, type StatusReport } from '@smsgw/sms/tpdu/status-report'
import { encodeForModem } from '@smsgw/sms/tpdu/tpdu'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import type { Change } from '../journal/change.ts'
import type { Journal } from '../journal/journal.ts'
import type { InboxKey } from '../receiving/encrypted-event.ts'
import { InboundReceiver } from '../receiving/inbound-receiver.ts'
import type { ReceivingSim } from '../receiving/slot-cleaner.ts'
import { ManualTime } from './manual-time.ts'
import { MemoryJournal } from './memory-journal.ts'

/** A receiver with a manual clock, and a SIM whose storage survives restarts. */
export class ReceiverFixture {
  readonly clock = new ManualClock()
  readonly time = new ManualTime(this.clock)
  readonly disk: MemoryJournal
  /** The PDUs on the SIM, by index. */
  readonly storage = new Map<number, string>()
  readonly reports: StatusReport[] = []
  readonly problems: unknown[] = []
  reportsMatch = true
  /** True if all reports are about messages that were sent a moment ago. */
  reportsAreRecent = false
  /** The key of the account. */
  inboxKey: InboxKey | undefined
  reportsFail = false
  breakNextDeletion = false
  deletesWork = true
  deletionsAtOnce = 1
  /** The largest number of deletions that were requested at the same time. */
  mostDeletionsAtOnce = 0
  #deletions = 0
  /** The slots whose deletion fails. */
  readonly stuck = new Set<number>()
  acknowledged = 0
  receiver: InboundReceiver
  #sim: ReceivingSim
  #session: { readonly kill: () => void }

  constructor(random: () => number = () => 0) {
    this.disk = new MemoryJournal(this.clock, random, () => this.clock.epochMs())
    const { receiver, session, sim } = this.#make()
    this.receiver = receiver
    this.#session = session
    this.#sim = sim
  }

  /** Restarts as after a power cut, then reads the whole SIM again. */
  async restart(): Promise<void> {
    this.kill()
    await this.start()
  }

  kill(): void {
    this.#session.kill()
    this.receiver.stop()
  }

  async start(): Promise<void> {
    const { receiver, session, sim } = this.#make()
    this.receiver = receiver
    this.#session = session
    this.#sim = sim
    const restored = receiver.restore()
    await this.pass(10, () => false)
    await this.#until(restored)
    receiver.simReady(sim)
    this.sweep()
  }

  get sim(): ReceivingSim {
    return this.#sim
  }

  simGone(): void {
    this.receiver.simGone(this.#sim)
  }

  simReady(): void {
    this.receiver.simReady(this.#sim)
  }

  sweep(): void {
    for (const index of this.storage.keys()) this.#tell(index)
  }

  /** Stores a PDU from the network in the first free slot and announces it. */
  deliver(pdu: string): void {
    let index = 0
    while (this.storage.has(index)) index += 1
    this.storage.set(index, pdu)
    this.#tell(index)
  }

  /** Stores a PDU without announcing it. */
  store(pdu: string): void {
    let index = 0
    while (this.storage.has(index)) index += 1
    this.storage.set(index, pdu)
  }

  direct(pdu: string, ageMs?: number): Promise<void> {
    const incoming = readIncoming({ kind: 'direct', acknowledge: true }, pdu)
    return incoming === undefined ? Promise.resolve() : this.receiver.take(this.#sim, incoming, ageMs)
  }

  async pass(ms: number, isEnough: () => boolean = () => false): Promise<void> {
    const untilMs = this.clock.nowMs() + ms
    for (;;) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      if (isEnough()) return
      const dueMs = this.clock.nextAtMs
      if (dueMs === undefined || dueMs > untilMs) break
      this.clock.advance(dueMs - this.clock.nowMs())
    }
    this.clock.advance(untilMs - this.clock.nowMs())
  }

  async events(): Promise<readonly AgentEvent[]> {
    const { journal } = this.disk.session()
    return (await journal.read('events', { after: 0, most: 100_000 })).map(({ event }) => event)
  }

  async received(): Promise<readonly Extract<AgentEvent, { kind: 'received' }>[]> {
    const all = await this.events()
    return all.filter((event) => event.kind === 'received')
  }

  async #until(promise: Promise<void>): Promise<void> {
    let isDone = false
    void promise.then(() => {
      isDone = true
    })
    await this.pass(60_000, () => isDone)
    await promise
  }

  #tell(index: number): void {
    const pdu = this.storage.get(index)
    const incoming = pdu && readIncoming({ kind: 'stored', memory: 'SM', index }, pdu)
    if (incoming) void this.receiver.take(this.#sim, incoming)
  }

  #make() {
    const session = this.disk.session()
    const receiver = new InboundReceiver({
      journal: session.journal,
      clock: this.clock,
      time: this.time,
      inboxKey: () => this.inboxKey,
      onRecentReport: (_, report, received) =>
        this.reportsAreRecent ? this.#takeRecent(session.journal, report, received()) : undefined,
      onReport: async (_, report) => {
        if (this.reportsFail) throw new Error('the sender refused the report')
        this.reports.push(report)
        return this.reportsMatch
      },
      journalWatch: {
        onProblem: (error) => {
          if (error.reason !== 'full') throw error
        },
      },
      onProblem: (error) => this.problems.push(error),
    })
    const sim: ReceivingSim = {
      simNumber: 1,
      iccid: 'iccid-1',
      phoneNumber: '+447700900001',
      deletionsAtOnce: this.deletionsAtOnce,
      deleteMessage: async ({ index }, pdu) => {
        if (this.breakNextDeletion) {
          this.breakNextDeletion = false
          throw new Error('the driver failed during the deletion')
        }
        this.#deletions += 1
        this.mostDeletionsAtOnce = Math.max(this.mostDeletionsAtOnce, this.#deletions)
        await new Promise<void>((resolve) => this.clock.after(50, resolve))
        this.#deletions -= 1
        if (!this.deletesWork || this.stuck.has(index)) return { kind: 'failed', failure: 'refused', error: undefined }
        if (!this.storage.has(index)) return { kind: 'already-gone' }
        if (this.storage.get(index) !== pdu) return { kind: 'failed', failure: 'refused', error: undefined }
        this.storage.delete(index)
        return { kind: 'deleted' }
      },
      acknowledge: async () => {
        this.acknowledged += 1
        return true
      },
    }
    receiver.simReady(sim)
    return { receiver, session, sim }
  }

  async #takeRecent(journal: Journal, report: StatusReport, received: Change): Promise<void> {
    if (this.reportsFail) throw new Error('the sender refused the report')
    await journal.write([received])
    this.reports.push(report)
  }

  /** Returns the PDUs of a text, as the network delivers them. */
  text(
    text: string,
    options: {
      readonly from?: string
      readonly reference?: number
      readonly atMs?: number
      readonly flash?: boolean
      readonly protocolIdentifier?: number
    } = {},
  ): readonly string[] {
    const { parts, dataCodingScheme } = segment(text, {
      reference: options.reference ?? 7,
      ...(options.flash && { messageClass: 0 as const }),
    })
    return parts.map((userData) => this.pdu(userData, dataCodingScheme, options))
  }

  statusReport(messageReference: number): string {
    const at = timeStampFromEpochMs(this.clock.epochMs(), 0)
    const octets = encodeStatusReport({
      kind: 'status-report',
      moreMessagesToSend: false,
      loopPrevention: false,
      statusReportQualifier: false,
      messageReference,
      recipient: addressFromText('+447700900123'),
      serviceCentreTimeStamp: at,
      dischargeTime: at,
      status: 0,
    })
    return `00${hexFromOctets(octets)}`
  }

  data(octets: Uint8Array, port: number): readonly string[] {
    const ports = { width: 16 as const, destination: port, source: 9200 }
    const { parts, dataCodingScheme } = segmentData(octets, { reference: 9, ports })
    return parts.map((userData) => this.pdu(userData, dataCodingScheme, {}))
  }

  pdu(
    userData: UserData,
    dataCodingScheme: number,
    options: { readonly from?: string; readonly atMs?: number; readonly protocolIdentifier?: number },
  ): string {
    const { octets } = encodeForModem({
      kind: 'deliver',
      moreMessagesToSend: false,
      loopPrevention: false,
      replyPath: false,
      statusReportIndication: false,
      originator: addressFromText(options.from ?? '+447700900123'),
      protocolIdentifier: options.protocolIdentifier ?? 0,
      dataCodingScheme,
      serviceCentreTimeStamp: timeStampFromEpochMs(options.atMs ?? this.clock.epochMs(), 0),
      userData,
    })
    return hexFromOctets(octets)
  }
}
