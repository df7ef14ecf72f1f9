import { textOfUserData } from '@smsgw/sms/fields/user-data'
import type { FaultName } from '@smsgw/virtual-modem/faults/fault-catalogue'
import type { FaultSettings } from '@smsgw/virtual-modem/faults/fault-control'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import type { LedgerEntry } from '@smsgw/virtual-modem/network/ledger'
import { Network } from '@smsgw/virtual-modem/network/network'
import { personalities } from '@smsgw/virtual-modem/personalities/catalogue'
import { seededRandom } from '@smsgw/virtual-modem/random'
import { Sim } from '@smsgw/virtual-modem/sim/sim'
import { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'
import type { ModemEvent } from '../src/modem-event.ts'
import type { Incoming } from '../src/receive/incoming-message.ts'
import { type OpenResult, RecoveryRunner } from '../src/recovery/runner.ts'
import type { RecoveryEffect } from '../src/recovery/state.ts'
import { PinMemory } from '../src/setup/pin-memory.ts'
import { SimulatedCable } from './cable.ts'
import type { DriverCall, SubmitCall } from './calls.ts'
import { RecentOutput } from './recent-output.ts'
import { RecoveryWatch } from './recovery-watch.ts'
import { type DriverAction, type DriverSchedule, rightPin } from './schedule.ts'
import { SecondCable } from './second-cable.ts'
import { pduOf } from './submit-pdu.ts'

/** A driver, its modem, the network and an owner who sends, reads and stores messages, all on one virtual clock. */
export class DriverWorld {
  readonly clock = new ManualClock()
  readonly schedule: DriverSchedule
  readonly modem: VirtualModem
  readonly sim: Sim
  readonly ledger: LedgerEntry[] = []
  readonly submits: SubmitCall[] = []
  readonly otherCalls: DriverCall[] = []
  /** The texts passed to the network. */
  readonly injected: string[] = []
  /** The number of times that the owner has stored each text. */
  readonly journal = new Map<string, number>()
  readonly reports: Incoming[] = []
  readonly unreadable: string[] = []
  readonly news: RecoveryEffect['kind'][] = []
  readonly trace: string[] = []
  /** The number of commands, PDUs and ESC characters that the driver wrote. */
  writes = 0
  mostQueued = 0
  answeredOnSecondPort = 0
  /** The number of attempts left, recorded just before each PIN entry. */
  readonly triesAtPinEntries: number[] = []
  /** The number of times that the SIM refused a PIN. */
  pinRefusals = 0
  /** The records of PIN entries, which are passed to the next driver. */
  #keptPins = '[]'
  runner: RecoveryRunner
  readonly #network: Network
  readonly #recentOutput = new RecentOutput()
  readonly recovery: RecoveryWatch
  readonly #cable: SimulatedCable
  readonly #second: SecondCable
  readonly #journalMs = new Map<string, readonly number[]>()
  readonly #shown = new Map<string, number>()
  #drivers = 0

  constructor(schedule: DriverSchedule, tracing: boolean) {
    this.schedule = schedule
    const { clock } = this
    const random = seededRandom(schedule.seed ^ 0x5eed)
    this.#network = new Network({
      clock,
      random,
      latencyMs: schedule.networkMs,
      onAccepted: (entry) => {
        this.#note('ledger', `${entry.messageReference} ${entry.text}`)
        this.ledger.push(entry)
      },
    })
    this.sim = new Sim({
      msisdn: ownNumber,
      iccid: '8944110000000900111',
      imsi: '001010000900111',
      messageCapacity: schedule.slotsOfSim,
      ...(schedule.pin !== 'none' && { pin: rightPin, puk: '12345678', pinAttemptsLeft: schedule.pinTriesLeft }),
    })
    const { guard } = this.sim
    const verify = guard.verify.bind(guard)
    guard.verify = (pin) => {
      const verified = verify(pin)
      if (!verified) this.pinRefusals += 1
      return verified
    }
    this.recovery = new RecoveryWatch(clock, this.ledger, schedule)
    this.#cable = new SimulatedCable(clock, schedule.cableMs, (bytes) => {
      this.recovery.wrote(bytes, this.modem.sending)
      this.writes += 1
      // Unplugs the cable to stop an endless loop of commands and answers. If the cable has no latency, the clock does
      // not advance during such a loop.
      if (this.writes >= mostWrites) this.#plug(false)
      this.#watchPin(bytes)
      if (tracing) this.#note('>', text(bytes))
      this.modem.receive(bytes)
    })
    this.#second = new SecondCable(schedule, clock, (bytes) => {
      this.writes += 1
      if (tracing) this.#note('2>', text(bytes))
      this.modem.receive(bytes, 1)
    })
    const personality = personalities[schedule.personality]
    if (personality === undefined) throw new Error(`no personality ${schedule.personality}`)
    this.modem = new VirtualModem({
      personality,
      sim: this.sim,
      network: this.#network,
      clock,
      random,
      imei: '004401520000012',
      faults: schedule.faults,
      chunking: schedule.chunking,
      bootTimeFactor: schedule.bootTimeFactor,
      terminals: schedule.secondPort === 'none' ? 1 : 2,
      ownMemories: schedule.secondPort === 'own-memories',
      onBytes: (bytes, terminal) => {
        if (tracing) this.#note(terminal === 0 ? '<' : '2<', text(bytes))
        if (terminal === 1) {
          if (!this.#second.fromModem(bytes)) return
          this.answeredOnSecondPort += 1
          this.recovery.said(bytes, this.modem.sending)
          return
        }
        this.#recentOutput.heard(clock.nowMs(), bytes)
        this.recovery.said(bytes, this.modem.sending)
        this.#cable.fromModem(bytes)
      },
      onPort: (event) => {
        this.#note('port', event)
        this.#plug(event === 'back')
        if (event === 'back') this.runner.deviceAppeared()
      },
    })
    this.#tracing = tracing
    this.modem.powerOn({ warm: schedule.warm })
    for (const action of schedule.actions) clock.after(action.atMs, () => this.#do(action))
    this.runner = this.#startDriver()
  }

  readonly #tracing: boolean

  /** The bytes that the driver wrote to the second port. */
  get writtenOnSecondPort(): readonly string[] {
    return this.#second.written
  }

  #plug(plugged: boolean): void {
    this.#cable.plugged = plugged
    this.#second.plugged = plugged
  }

  /** Removes all faults, and replugs a modem that is stuck. */
  calmDown(): void {
    this.#note('world', 'calm')
    this.modem.faults.clear()
    this.#network.setCoverage(ownNumber, { stat: 1 })
    const { hung, port, power } = this.modem.snapshot()
    if (!hung && port === 'open' && power !== 'off') return
    this.modem.unplug()
    this.clock.after(2_000, () => this.modem.plug())
  }

  submit(message: string, action: Pick<DriverAction & { do: 'submit' }, 'hook' | 'report' | 'moreFollow'>): void {
    const call: SubmitCall = {
      ...this.#call('submit', this.submits),
      text: message,
      committed: false,
      outcome: undefined,
      mayBeText: false,
      results: [],
      late: [],
    }
    this.submits.push(call)
    const { modem } = this.runner
    if (modem === undefined) {
      call.endedAtMs = this.clock.nowMs()
      call.outcome = { kind: 'not-sent', why: 'not-ready' }
      call.results.push(call.outcome)
      return
    }
    const { hook, moreFollow } = action
    const outcome = modem.submit(pduOf(message, action.report), {
      id: message,
      moreFollow,
      isItsReport: () => true,
      beforePdu: async () => {
        if (hook.afterMs > 0) await this.#pause(hook.afterMs)
        if (hook.decision === 'throw') throw new Error('the disk is full')
        if (hook.decision === 'go') call.committed = true
        return hook.decision
      },
      afterResult: (result) => {
        call.results.push(result)
        call.mayBeText = this.#recentOutput.holdResultInText
      },
    })
    this.#follow(call, outcome, (result) => {
      call.outcome = result
    })
  }

  #do(action: DriverAction): void {
    if (this.#tracing) this.#note('do', JSON.stringify(action))
    switch (action.do) {
      case 'submit':
        this.submit(action.text, action)
        break
      case 'receive':
        this.#journalMs.set(action.text, action.journalMs)
        this.injected.push(action.text)
        this.#network.sendText(otherNumber, ownNumber, action.text)
        break
      case 'ussd':
        this.#ask('ussd', async () => this.runner.modem?.ussd(action.code))
        break
      case 'sweep':
        this.#ask('sweep', async () => this.runner.modem?.sweep({ again: action.again }))
        break
      case 'signal':
        this.#ask('signal', async () => this.runner.modem?.signal())
        break
      case 'set-faults':
        this.#setFaults(action.faults)
        break
      case 'clear-faults':
        this.modem.faults.clear()
        break
      case 'unplug':
        this.modem.unplug(action.forMs)
        break
      case 'drop-port':
        this.modem.dropPort(action.forMs)
        break
      case 'reboot':
        this.modem.reboot()
        break
      case 'say':
        this.modem.say(action.line)
        break
      case 'push-ussd':
        this.modem.say(`+CUSD: 0,"${action.lines.join('\r\n')}",15`)
        break
      case 'lose-network':
        this.#network.setCoverage(ownNumber, { stat: 2 })
        this.clock.after(action.forMs, () => this.#network.setCoverage(ownNumber, { stat: 1 }))
        break
      case 'flood':
        this.modem.faults.set('urc-flood')
        this.clock.after(action.forMs, () => this.modem.faults.clear('urc-flood'))
        break
      case 'restart-driver': {
        const before = this.runner
        this.#ask('stop', () => before.stop())
        this.runner = this.#startDriver()
      }
    }
  }

  #setFaults(faults: FaultSettings): void {
    for (const name of Object.keys(faults) as FaultName[]) this.modem.faults.set(name, faults[name])
  }

  #startDriver(): RecoveryRunner {
    this.#drivers += 1
    const driver = this.#drivers
    const runner = new RecoveryRunner({
      clock: this.clock,
      open: () => this.#open(),
      onEvent: (event) => this.#handleEvent(event, runner),
      onNews: (effect) => {
        if (this.#tracing) this.#note(`recovery ${driver}`, JSON.stringify(effect))
        this.news.push(effect.kind)
      },
      modemOptions: this.schedule.modemOptions,
      pinMemory: new PinMemory({
        records: JSON.parse(this.#keptPins),
        keep: (records) => {
          this.#keptPins = JSON.stringify(records)
        },
      }),
    })
    runner.start()
    return runner
  }

  async #open(): Promise<OpenResult> {
    const opened = await this.#cable.open()
    if (opened.kind !== 'opened' || this.schedule.secondPort === 'none') return opened
    return { ...opened, openSecond: () => this.#second.open() }
  }

  #handleEvent(event: ModemEvent, runner: RecoveryRunner): void {
    if (this.#tracing)
      this.#note(
        'event',
        JSON.stringify(event, (key, value) => (key === 'session' ? undefined : value)),
      )
    this.mostQueued = Math.max(this.mostQueued, runner.modem?.telemetry.queued ?? 0)
    this.recovery.heard(event, this.modem.sending)
    if (event.kind === 'late-result') {
      this.submits.find((call) => call.text === event.id)?.late.push(event.outcome)
    } else if (event.kind === 'incoming') {
      this.#arrived(event.incoming, runner)
    }
  }

  #watchPin(bytes: Uint8Array): void {
    if (this.schedule.pin === 'none' || !String.fromCharCode(...bytes).startsWith('AT+CPIN="')) return
    this.triesAtPinEntries.push(this.sim.guard.pin.attemptsLeft)
  }

  /** Stores the message in the journal, and then deletes it from the modem. */
  #arrived(incoming: Incoming, runner: RecoveryRunner): void {
    const key = keyOf(incoming)
    const write = () => {
      if (incoming.kind === 'message') this.journal.set(key, (this.journal.get(key) ?? 0) + 1)
      else if (incoming.kind === 'status-report') this.reports.push(incoming)
      else this.unreadable.push(incoming.pdu)
      // Deletes the message only if it is stored. If the program that read the message ended before it stored the
      // message, the next program reads the message again.
      const { source, pdu } = incoming
      if (source.kind === 'stored') this.#delete(source, pdu, runner)
      else if (source.acknowledge) this.#ask('acknowledge', async () => runner.modem?.acknowledge())
    }
    const times = this.#shown.get(key) ?? 0
    this.#shown.set(key, times + 1)
    const delayMs = this.#journalMs.get(key)?.[times] ?? 0
    if (delayMs === 0) write()
    else this.clock.after(delayMs, () => runner === this.runner && write())
  }

  /** Repeats the deletion until it succeeds, because a message that is not deleted occupies a slot. */
  #delete(place: { readonly memory: string; readonly index: number }, pdu: string, runner: RecoveryRunner): void {
    this.#ask('delete', async () => {
      const deletion = await runner.modem?.deleteMessage(place, pdu)
      if (deletion?.kind !== 'failed' && deletion?.kind !== 'deferred') return
      this.clock.after(10_000, () => runner === this.runner && this.#delete(place, pdu, runner))
    })
  }

  #ask(what: string, ask: () => Promise<unknown>): void {
    const call = this.#call(what, this.otherCalls)
    this.otherCalls.push(call)
    this.#follow(call, ask(), () => undefined)
  }

  #call(what: string, others: readonly DriverCall[]): DriverCall {
    const ahead = others.filter(({ endedAtMs }) => endedAtMs === undefined).length
    return { what, atMs: this.clock.nowMs(), ahead, endedAtMs: undefined, failure: undefined }
  }

  #follow<T>(call: DriverCall, promise: Promise<T>, keep: (value: T) => void): void {
    promise.then(
      (value) => {
        call.endedAtMs = this.clock.nowMs()
        keep(value)
        if (this.#tracing) this.#note('end', `${call.what} ${JSON.stringify(value)}`)
      },
      (error) => {
        call.endedAtMs = this.clock.nowMs()
        call.failure = error
      },
    )
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.after(ms, resolve))
  }

  #note(what: string, words: string): void {
    if (this.#tracing) this.trace.push(`${(this.clock.nowMs() / 1000).toFixed(3).padStart(10)} ${what} ${words}`)
  }
}

/** The busiest hour needs a tenth of this number of writes, so a driver that writes more is in a loop. */
export const mostWrites = 20_000
const ownNumber = '+447700900111'
const otherNumber = '+447700900222'

function keyOf(incoming: Incoming): string {
  return incoming.kind === 'message' ? (textOfUserData(incoming.deliver.userData) ?? '') : incoming.pdu
}

function text(bytes: Uint8Array): string {
  return JSON.stringify(String.fromCharCode(...bytes))
}
