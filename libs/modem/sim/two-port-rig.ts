import { timePasser } from '@smsgw/simulation/pass-time'
import { textOfUserData } from '@smsgw/sms/fields/user-data'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { Network } from '@smsgw/virtual-modem/network/network'
import type { Personality } from '@smsgw/virtual-modem/personalities/personality'
import { quectelEc25 } from '@smsgw/virtual-modem/personalities/quectel-ec25'
import { seededRandom } from '@smsgw/virtual-modem/random'
import { Sim } from '@smsgw/virtual-modem/sim/sim'
import { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'
import type { ModemEvent } from '../src/modem-event.ts'
import { RecoveryRunner } from '../src/recovery/runner.ts'
import type { Submitted } from '../src/send/submit.ts'
import { SimulatedCable } from './cable.ts'
import { pduOf } from './submit-pdu.ts'

const passTime = timePasser(process.nextTick)

/** A modem with two ports, its driver, and an owner who deletes each message that was read. */
export class TwoPortRig {
  readonly clock = new ManualClock()
  readonly modem: VirtualModem
  readonly runner: RecoveryRunner
  readonly network: Network
  readonly events: ModemEvent[] = []
  /** The texts that were read, with the time. */
  readonly read: { readonly text: string | undefined; readonly atMs: number }[] = []
  readonly written: [string[], string[]] = [[], []]
  readonly #cables: readonly [SimulatedCable, SimulatedCable]

  constructor(options: TwoPortOptions = {}) {
    const { clock, written } = this
    const random = seededRandom(1)
    this.network = new Network({ clock, random, latencyMs: options.latencyMs ?? 100 })
    const cable = (terminal: 0 | 1) =>
      new SimulatedCable(clock, options.cableMs ?? 1, (bytes) => {
        written[terminal].push(String.fromCharCode(...bytes))
        const { second } = options
        const answer =
          terminal === 1 && typeof second === 'function' ? second(String.fromCharCode(...bytes)) : undefined
        if (answer === undefined) this.modem.receive(bytes, terminal)
        else this.#cables[1].fromModem(Uint8Array.from(answer, (char) => char.charCodeAt(0)))
      })
    this.#cables = [cable(0), cable(1)]
    this.modem = new VirtualModem({
      personality: options.personality ?? quectelEc25,
      sim: new Sim({ msisdn: ownNumber, iccid: '8944110000000900111', imsi: '001010000900111' }),
      network: this.network,
      clock,
      random,
      terminals: 2,
      ownMemories: options.ownMemories ?? false,
      onBytes: (bytes, terminal) => this.#cables[terminal === 0 ? 0 : 1].fromModem(bytes),
      onPort: (event) => {
        for (const each of this.#cables) each.plugged = event === 'back'
      },
    })
    this.modem.powerOn({ warm: true })
    const openSecond = async () => {
      const opened = await this.#cables[1].open()
      return opened.kind === 'opened' && 'write' in opened.port ? opened.port : undefined
    }
    this.runner = new RecoveryRunner({
      clock,
      open: async () => {
        const opened = await this.#cables[0].open()
        return opened.kind === 'opened' && options.second !== 'none' ? { ...opened, openSecond } : opened
      },
      modemOptions: { registeredPollMs: 600_000, signalMs: 600_000, sweepMs: 600_000 },
      onEvent: (event) => this.#handle(event),
    })
    this.runner.start()
  }

  /** Waits until the modem is set up and both ports are idle. */
  async ready(): Promise<this> {
    await passTime(this.clock, 60_000, () => this.runner.state?.kind === 'healthy')
    await this.pass(10_000)
    return this
  }

  pass(ms: number): Promise<boolean> {
    return passTime(this.clock, ms)
  }

  /** Sends a text; `endedAtMs` is when its outcome was known. */
  submit(text: string): PortSubmit {
    const call: PortSubmit = { outcome: undefined, endedAtMs: undefined }
    const submitted = this.runner.modem?.submit(pduOf(text, false), { id: text, beforePdu: async () => 'go' })
    void submitted?.then((outcome) => {
      call.outcome = outcome
      call.endedAtMs = this.clock.nowMs()
    })
    return call
  }

  receive(text: string): void {
    this.network.sendText('+447700900222', ownNumber, text)
  }

  #handle(event: ModemEvent): void {
    this.events.push(event)
    if (event.kind !== 'incoming' || event.incoming.kind !== 'message') return
    const { source, pdu, deliver } = event.incoming
    this.read.push({ text: textOfUserData(deliver.userData), atMs: this.clock.nowMs() })
    if (source.kind === 'stored') void this.runner.modem?.deleteMessage(source, pdu)
  }
}

export interface TwoPortOptions {
  readonly personality?: Personality
  readonly latencyMs?: number
  readonly cableMs?: number
  readonly ownMemories?: boolean
  /** The answers of the second port that replace the answers of the modem. `none`: there is no second port. */
  readonly second?: 'none' | ((written: string) => string | undefined)
}

export interface PortSubmit {
  outcome: Submitted | undefined
  endedAtMs: number | undefined
}

const ownNumber = '+447700900111'
