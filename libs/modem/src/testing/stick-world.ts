import type { FaultSettings } from '@smsgw/virtual-modem/faults/fault-control'
import type { LedgerEntry } from '@smsgw/virtual-modem/network/ledger'
import { Network } from '@smsgw/virtual-modem/network/network'
import { huaweiHilink } from '@smsgw/virtual-modem/personalities/huawei-hilink'
import { seededRandom } from '@smsgw/virtual-modem/random'
import { Sim, type SimOptions } from '@smsgw/virtual-modem/sim/sim'
import { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'
import type { WebPort, WebReply, WebRequest } from '../hilink/web-port.ts'
import { ManualClock } from './manual-clock.ts'

/** A virtual HiLink stick in a network, behind a web port like the web port of the agent. */
export class StickWorld implements WebPort {
  readonly clock = new ManualClock()
  readonly ledger: LedgerEntry[] = []
  readonly requests: string[] = []
  readonly closeListeners: ((reason: string) => void)[] = []
  readonly network: Network
  stick: VirtualModem
  readonly #random = seededRandom(1)
  readonly #time = {
    nowMs: () => this.clock.nowMs(),
    epochMs: () => startMs + this.clock.nowMs(),
    after: (delayMs: number, run: () => void) => this.clock.after(delayMs, run),
  }
  #whenLost: (() => void)[] = []
  #watchedPath = ''
  #whenRequested: () => void = () => undefined

  constructor(options: { readonly sim?: Partial<SimOptions> | null; readonly faults?: FaultSettings } = {}) {
    this.network = new Network({
      clock: this.#time,
      random: this.#random,
      onAccepted: (entry) => this.ledger.push(entry),
    })
    this.stick = this.newStick(options)
  }

  newStick({ sim = {}, faults }: ConstructorParameters<typeof StickWorld>[0] & object = {}, imei = stickImei) {
    const stick = new VirtualModem({
      personality: huaweiHilink,
      sim: sim === null ? undefined : new Sim({ msisdn: stickNumber, iccid: stickIccid, imsi: stickImsi, ...sim }),
      network: this.network,
      clock: this.#time,
      random: this.#random,
      imei,
      ...(faults && { faults }),
      onBytes: () => undefined,
      onPort: (event) => {
        if (event === 'lost') for (const lose of this.#whenLost.splice(0)) lose()
      },
    })
    stick.powerOn({ warm: true })
    return stick
  }

  async exchange(request: WebRequest): Promise<WebReply> {
    const { method, path, headers, body = '', timeoutMs } = request
    this.requests.push(`${method} ${path}`)
    if (path.endsWith(this.#watchedPath)) this.#whenRequested()
    const never = new Promise<WebReply>((resolve) => {
      const timer = this.clock.after(timeoutMs, () => resolve({ kind: 'no-answer', why: 'timeout' }))
      this.#whenLost.push(() => {
        timer.cancel()
        resolve({ kind: 'no-answer', why: 'connection reset' })
      })
    })
    const reply = await Promise.race([this.stick.handleWebRequest({ method, path, headers, body }), never])
    if (reply === undefined) return { kind: 'not-sent', why: 'connection refused' }
    switch (reply.kind) {
      case 'dropped':
        return { kind: 'no-answer', why: 'connection closed' }
      case 'answer': {
        const { status, headers, body } = reply
        if ('cutAfter' in reply) return { kind: 'no-answer', why: 'connection closed' }
        if (body.length > largestReply) return { kind: 'no-answer', why: 'too large' }
        return { kind: 'answer', status, headers, body }
      }
      default:
        return reply
    }
  }

  /** Calls `run` before each request to a path with this end. */
  whenRequested(path: string, run: () => void): void {
    this.#watchedPath = path
    this.#whenRequested = run
  }

  /** Never calls the listener, because the web interface never closes; only its replies fail. */
  onClosed(listener: (reason: string) => void): void {
    this.closeListeners.push(listener)
  }

  /** The texts that the network has accepted. The parts of long texts are joined. */
  get sent(): readonly string[] {
    const texts: string[] = []
    for (const { destination, text = '', part } of this.ledger) {
      if (part === undefined || part.sequence === 1) texts.push(`${destination} ${text}`)
      else texts.push(`${texts.pop() ?? ''}${text}`)
    }
    return texts
  }

  pass(ms: number): Promise<void> {
    return this.clock.advance(ms)
  }

  async passing<T>(promise: Promise<T>): Promise<T> {
    let settled = false
    const watched = promise.finally(() => {
      settled = true
    })
    for (let i = 0; i < 4000 && !settled; i += 1) await this.pass(250)
    return watched
  }
}

export const stickImei = '356938035648096'
export const stickNumber = '+447700900001'
const stickIccid = '8944100000000000017'
const stickImsi = '001010000000001'
/** 2026-03-01 12:00 UTC */
export const startMs = Date.UTC(2026, 2, 1, 12)
const largestReply = 1024 * 1024
