import { hexFromOctets } from '@smsgw/sms/octets'
import type { Submit } from '@smsgw/sms/tpdu/submit'
import type { MmsNotification } from '@smsgw/sms/wap/mms-notification'
import type { ContentTypeForm } from '@smsgw/sms/wap/wsp-push'
import type { Clock } from '../clock.ts'
import type { SeededRandom } from '../random.ts'
import type { Sim } from '../sim/sim.ts'
import { broadcastPages } from './broadcast-page.ts'
import type { DeliverEnvelope } from './composing.ts'
import type { Coverage, NetworkOperator } from './coverage.ts'
import { DeliveryPolicies, type DeliveryPolicy } from './delivery-policy.ts'
import {
  deliversOfData,
  deliversOfMmsNotification,
  deliversOfText,
  type SendDataOptions,
  type SendTextOptions,
} from './injection.ts'
import type { LedgerEntry } from './ledger.ts'
import { ServiceCentre } from './service-centre.ts'
import type { Station, SubmitResult } from './station.ts'
import { Subscriber } from './subscriber.ts'
import { testNumbers } from './test-numbers.ts'
import { type MenuReply, UssdDialogue, type UssdMenu, usualUssdMenus } from './ussd-menu.ts'

/**
 * The network that several modems share: a service centre that routes by number and queues messages, USSD services,
 * operators and coverage. The methods below the heading "Methods for modems" are for modems, and all other methods for
 * tests and the control interface.
 */
export class Network {
  readonly serviceCentreNumber: string
  readonly zoneQuarters: number
  readonly operators: readonly NetworkOperator[]
  readonly #options: NetworkOptions
  readonly #policies = new DeliveryPolicies(testNumbers)
  readonly #centre: ServiceCentre
  readonly #byImsi = new Map<string, Subscriber>()
  readonly #byNumber = new Map<string, Subscriber>()
  readonly #menus = new Map<string, UssdMenu>(Object.entries(usualUssdMenus))
  readonly #left: LeftMessage[] = []
  #usualCoverage: Coverage
  #latencyMs: Latency
  #reference = 0

  constructor(options: NetworkOptions) {
    this.#options = options
    this.#latencyMs = options.latencyMs ?? 0
    this.serviceCentreNumber = options.serviceCentre ?? '+447700900000'
    this.zoneQuarters = options.zoneQuarters ?? 0
    const operator = options.operator ?? usualOperator
    this.operators = [operator, otherOperator]
    this.#usualCoverage = { ...usualCoverage, operator, ...options.coverage }
    this.#centre = new ServiceCentre({
      clock: options.clock,
      zoneQuarters: this.zoneQuarters,
      serviceCentre: this.serviceCentreNumber,
      policies: this.#policies,
      subscriberOf: (number) => this.#byNumber.get(number),
      onAccepted: (entry) => {
        options.onAccepted?.(entry)
        options.onEvent?.({ kind: 'accepted', entry })
      },
      onRefused: ({ imsi }, destination, cause) => options.onEvent?.({ kind: 'refused', imsi, destination, cause }),
      onLeft: (sender, entry) => this.#remember(sender, entry),
      onReply: ({ msisdn: to }, from, text) => {
        this.sendText(from, to, text)
        options.onEvent?.({ kind: 'replied', from, to, text })
      },
    })
  }

  /** Sends a text from an outside phone to the number of a SIM. Returns the number of parts. */
  sendText(from: string, to: string, text: string, options: SendTextOptions = {}): number {
    const envelope = { ...this.#envelope(from, options.protocolIdentifier), ...epochOf(options) }
    return this.#inject(to, deliversOfText(text, envelope, options.reference ?? this.#nextReference(), options))
  }

  sendData(from: string, to: string, data: Uint8Array, options: SendDataOptions): number {
    const reference = options.reference ?? this.#nextReference()
    return this.#inject(to, deliversOfData(data, this.#envelope(from), reference, options))
  }

  sendMmsNotification(from: string, to: string, notification: MmsNotification, options: SendMmsOptions = {}): number {
    const form = options.contentTypeForm ?? this.#subscriberOf(to).station?.mmsContentTypeForm() ?? 'code'
    return this.#inject(to, deliversOfMmsNotification(notification, this.#envelope(from), this.#nextReference(), form))
  }

  /** Sends a DELIVER or STATUS-REPORT unchanged; the octets do not include the service centre address. */
  sendRaw(to: string, tpdu: Uint8Array): void {
    this.#inject(to, [tpdu])
  }

  /** Sends a cell broadcast; modems subscribed to its identifier show it. */
  broadcast(text: string, options: BroadcastOptions = {}): void {
    for (const page of broadcastPages(text, options)) {
      for (const { station } of this.#byImsi.values()) station?.broadcast(page)
    }
  }

  /** Starts a USSD dialogue from the network. Returns false if no modem is registered with the number. */
  sendUssd(to: string, text: string, options: { readonly expectsAnswer?: boolean } = {}): boolean {
    const subscriber = this.#subscriberOf(to)
    if (subscriber.station === undefined) return false
    const menu: UssdMenu = { text, ...(options.expectsAnswer && { otherwise: { text: 'Thank you' } }) }
    const dialogue = new UssdDialogue(menu)
    subscriber.ussd = options.expectsAnswer ? dialogue : undefined
    this.#options.onEvent?.({ kind: 'ussd', msisdn: to, from: 'network', text })
    subscriber.station.ussd(dialogue.reply)
    return true
  }

  /** Starts an incoming voice call. Returns false if no modem is registered with the number. */
  call(from: string, to: string, forMs = 20_000): boolean {
    const { station } = this.#subscriberOf(to)
    station?.ring(from, forMs)
    return station !== undefined
  }

  /** Sets the service for a code. If `menu` is undefined, removes the service. */
  setUssdMenu(code: string, menu: UssdMenu | undefined): void {
    if (menu) this.#menus.set(code, menu)
    else this.#menus.delete(code)
  }

  setDeliveryPolicy(numberPrefix: string, policy: DeliveryPolicy): void {
    this.#policies.set(numberPrefix, policy)
  }

  clearDeliveryPolicy(numberPrefix?: string): void {
    this.#policies.clear(numberPrefix)
  }

  setLatency(latencyMs: Latency): void {
    this.#latencyMs = latencyMs
  }

  /** @param to the number of a SIM; undefined means all SIMs, including SIMs that are added later */
  setCoverage(to: string | undefined, change: Partial<Coverage>): void {
    const everybody = [...this.#byImsi.values()]
    if (to === undefined) this.#usualCoverage = { ...this.#usualCoverage, ...change }
    for (const subscriber of to === undefined ? everybody : [this.#subscriberOf(to)]) {
      subscriber.coverage = { ...subscriber.coverage, ...change }
      this.#options.onEvent?.({ kind: 'coverage', msisdn: subscriber.msisdn, coverage: subscriber.coverage })
      this.#listeners.get(subscriber.imsi)?.(subscriber.coverage)
    }
  }

  snapshot(): NetworkSnapshot {
    return {
      operator: this.#usualCoverage.operator,
      serviceCentre: this.serviceCentreNumber,
      latencyMs: this.#latencyMs,
      accepted: this.#centre.accepted,
      left: [...this.#left],
      policies: this.#policies.list(),
      ussdCodes: [...this.#menus.keys()],
      subscribers: [...this.#byImsi.values()].map(({ msisdn, station, keptCount, coverage }) => ({
        msisdn,
        attached: station !== undefined,
        kept: keptCount,
        coverage,
      })),
    }
  }

  // Methods for modems

  readonly #listeners = new Map<string, (coverage: Coverage) => void>()

  /** Adds the SIM as a subscriber. After this, messages for the SIM are queued. */
  enrol(sim: Sim): void {
    if (this.#byImsi.has(sim.imsi)) return
    const subscriber = new Subscriber(sim.msisdn, sim.imsi, this.#usualCoverage, {
      clock: this.#options.clock,
      retryMs: this.#options.retryMs ?? 30_000,
      transitMs: () => this.latencyMs(),
      onArrived: ({ msisdn }, { tpdu }) =>
        this.#options.onEvent?.({ kind: 'arrived', msisdn, tpdu: hexFromOctets(tpdu) }),
      onKept: ({ msisdn }, reason) => this.#options.onEvent?.({ kind: 'kept', msisdn, reason }),
      onExpired: ({ msisdn }) => this.#options.onEvent?.({ kind: 'expired', msisdn }),
    })
    this.#byImsi.set(sim.imsi, subscriber)
    this.#byNumber.set(sim.msisdn, subscriber)
    if (sim.serviceCentre === '') sim.serviceCentre = this.serviceCentreNumber
  }

  /** The coverage at the location of this SIM, whether it is registered or not. */
  coverage(sim: Sim): Coverage {
    return this.#enrolled(sim).coverage
  }

  whenCoverageChanges(sim: Sim, run: ((coverage: Coverage) => void) | undefined): void {
    if (run) this.#listeners.set(sim.imsi, run)
    else this.#listeners.delete(sim.imsi)
  }

  /** Returns a random change of the signal in dB. */
  signalWander(): number {
    const span = this.#options.signalWanderDb ?? 0
    return span === 0 ? 0 : this.#options.random.integer(2 * span + 1) - span
  }

  attach(sim: Sim, station: Station): void {
    this.#enrolled(sim).attach(station)
  }

  detach(sim: Sim, station: Station): void {
    this.#enrolled(sim).detach(station)
  }

  /** Must be called when the modem has free memory again (RP-SMMA). */
  memoryAvailable(sim: Sim): void {
    this.#enrolled(sim).memoryAvailable()
  }

  /** Emits the ledger entry, and then calls `done` after the latency, or at once if the latency is zero. */
  submit(sim: Sim, imei: string, tpdu: Uint8Array, submit: Submit, done: (result: SubmitResult) => void): void {
    const sender = this.#enrolled(sim)
    const delayMs = this.latencyMs() + this.#centre.acceptanceDelayMs(submit)
    if (delayMs === 0) done(this.#centre.submit(sender, imei, tpdu, submit))
    else this.#options.clock.after(delayMs, () => done(this.#centre.submit(sender, imei, tpdu, submit)))
  }

  /** Opens a dialogue with a code, or answers the open dialogue. */
  ussd(sim: Sim, text: string, reply: (reply: MenuReply) => void): void {
    const subscriber = this.#enrolled(sim)
    this.#options.onEvent?.({ kind: 'ussd', msisdn: sim.msisdn, from: 'modem', text })
    const request = this.#options.clock.after(this.latencyMs(), () => {
      subscriber.ussdRequests.delete(request)
      const answer = this.#ussdReply(subscriber, text)
      if (answer.kind === 'text') {
        this.#options.onEvent?.({ kind: 'ussd', msisdn: sim.msisdn, from: 'network', text: answer.text })
      }
      reply(answer)
    })
    subscriber.ussdRequests.add(request)
  }

  endUssd(sim: Sim): void {
    this.#enrolled(sim).endUssd()
  }

  latencyMs(): number {
    const latency = this.#latencyMs
    if (typeof latency === 'number') return latency
    return latency.minMs + this.#options.random.integer(latency.maxMs - latency.minMs + 1)
  }

  #ussdReply(subscriber: Subscriber, text: string): MenuReply {
    const open = subscriber.ussd
    const menu = this.#menus.get(text)
    if (open === undefined && menu === undefined) return { kind: 'not-supported' }
    const dialogue = open ?? new UssdDialogue(menu ?? { text: '' })
    const reply = open ? open.answer(text) : dialogue.reply
    subscriber.ussd = reply.kind === 'text' && reply.expectsAnswer ? dialogue : undefined
    return reply
  }

  #enrolled(sim: Sim): Subscriber {
    this.enrol(sim)
    const subscriber = this.#byImsi.get(sim.imsi)
    if (subscriber === undefined) throw new Error(`SIM ${sim.imsi} is not enrolled`)
    return subscriber
  }

  #subscriberOf(number: string): Subscriber {
    const subscriber = this.#byNumber.get(number)
    if (subscriber === undefined) throw new Error(`no SIM here has the number ${number}`)
    return subscriber
  }

  #inject(to: string, tpdus: readonly Uint8Array[]): number {
    const subscriber = this.#subscriberOf(to)
    for (const tpdu of tpdus) {
      subscriber.enqueue({ tpdu, serviceCentre: this.serviceCentreNumber, expiresAtMs: Number.POSITIVE_INFINITY })
    }
    return tpdus.length
  }

  #envelope(from: string, protocolIdentifier = 0): DeliverEnvelope {
    return { from, protocolIdentifier, epochMs: this.#options.clock.epochMs(), zoneQuarters: this.zoneQuarters }
  }

  #nextReference(): number {
    this.#reference = (this.#reference + 1) & 0xff
    return this.#reference
  }

  #remember(sender: Subscriber, entry: LedgerEntry): void {
    const { epochMs, destination: to, text, data, part } = entry
    const message: LeftMessage = {
      epochMs,
      from: sender.msisdn,
      to,
      ...(text !== undefined && { text }),
      ...(data !== undefined && { data }),
      ...(part && { part }),
    }
    this.#left.push(message)
    if (this.#left.length > mostRemembered) this.#left.shift()
    this.#options.onEvent?.({ kind: 'left', message })
  }
}

export interface NetworkOptions {
  readonly clock: Clock
  readonly random: SeededRandom
  /** The time from a SUBMIT to its result, and from sending a DELIVER to its arrival. Default 0. */
  readonly latencyMs?: Latency
  readonly serviceCentre?: string
  /** The time zone of the network's time stamps. Default 0. */
  readonly zoneQuarters?: number
  readonly operator?: NetworkOperator
  readonly coverage?: Partial<Coverage>
  /** The largest random change of the signal in dB. Default 0. */
  readonly signalWanderDb?: number
  /** The first delay before a refused message is retried. Default 30 s. */
  readonly retryMs?: number
  readonly onAccepted?: (entry: LedgerEntry) => void
  readonly onEvent?: (event: NetworkEvent) => void
}

export type Latency = number | { readonly minMs: number; readonly maxMs: number }

export interface SendMmsOptions {
  readonly contentTypeForm?: ContentTypeForm
}

export interface BroadcastOptions {
  readonly messageIdentifier?: number
  readonly serialNumber?: number
}

/** The events of the network, for logs and tests. */
export type NetworkEvent =
  | { readonly kind: 'accepted'; readonly entry: LedgerEntry }
  | { readonly kind: 'refused'; readonly imsi: string; readonly destination: string; readonly cause: number }
  | { readonly kind: 'left'; readonly message: LeftMessage }
  /** A test number sent a reply. */
  | { readonly kind: 'replied'; readonly from: string; readonly to: string; readonly text: string }
  | { readonly kind: 'kept'; readonly msisdn: string; readonly reason: 'absent' | 'memory-full' | 'unanswered' }
  | { readonly kind: 'arrived'; readonly msisdn: string; readonly tpdu: string }
  | { readonly kind: 'expired'; readonly msisdn: string }
  | { readonly kind: 'ussd'; readonly msisdn: string; readonly from: 'modem' | 'network'; readonly text: string }
  | { readonly kind: 'coverage'; readonly msisdn: string; readonly coverage: Coverage }

/** A message to a number outside the emulator. */
export interface LeftMessage {
  readonly epochMs: number
  readonly from: string
  readonly to: string
  readonly text?: string
  readonly data?: string
  readonly part?: NonNullable<LedgerEntry['part']>
}

export interface NetworkSnapshot {
  readonly operator: NetworkOperator
  readonly serviceCentre: string
  readonly latencyMs: Latency
  readonly accepted: number
  /** The last thousand messages to numbers outside the emulator, newest last. */
  readonly left: readonly LeftMessage[]
  readonly policies: readonly { readonly prefix: string; readonly policy: DeliveryPolicy }[]
  readonly ussdCodes: readonly string[]
  readonly subscribers: readonly {
    readonly msisdn: string
    readonly attached: boolean
    readonly kept: number
    readonly coverage: Coverage
  }[]
}

const mostRemembered = 1000
const usualOperator: NetworkOperator = { name: 'Virtual Mobile', shortName: 'VIRTUAL', numeric: '00101' }
/** Another operator that a scan finds. */
const otherOperator: NetworkOperator = { name: 'Other Mobile', shortName: 'OTHER', numeric: '00102' }
const usualCoverage: Omit<Coverage, 'operator'> = {
  stat: 1,
  technology: 'lte',
  signalDbm: -73,
  bitErrorRate: 99,
  areaCode: 0x1a2b,
  cellId: 0x0123_4567,
}

function epochOf(options: SendTextOptions): { epochMs?: number } {
  return options.epochMs === undefined ? {} : { epochMs: options.epochMs }
}
