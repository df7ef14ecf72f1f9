import { hexFromOctets } from '@smsgw/sms/octets'
import type { Submit } from '@smsgw/sms/submit'
import type { MmsNotification } from '@smsgw/sms/wap/mms-notification'
import type { ContentTypeForm } from '@smsgw/sms/wap/wsp-push'
import type { Clock } from './clock.ts'
import type { LedgerEntry } from './ledger.ts'
import { broadcastPages } from './network/broadcast-page.ts'
import type { Envelope } from './network/composing.ts'
import type { Coverage, Operator } from './network/coverage.ts'
import { DeliveryPolicies, type DeliveryPolicy } from './network/delivery-policy.ts'
import {
  deliversOfData,
  deliversOfMmsNotification,
  deliversOfText,
  type SendDataOptions,
  type SendTextOptions,
} from './network/injection.ts'
import { ServiceCentre } from './network/service-centre.ts'
import type { Station, SubmitResult } from './network/station.ts'
import { Subscriber } from './network/subscriber.ts'
import { UssdDialogue, type UssdMenu, type UssdReply, usualUssdMenus } from './network/ussd-menu.ts'
import type { Random } from './random.ts'
import type { Sim } from './sim.ts'

/**
 * What several modems share: a service centre that routes by number and keeps what cannot be delivered, USSD services,
 * operators and coverage. Its first half is for whoever plays the outside world, its second for the modems.
 */
export class Network {
  readonly serviceCentreNumber: string
  readonly zoneQuarters: number
  readonly operators: readonly Operator[]
  readonly #options: NetworkOptions
  readonly #policies = new DeliveryPolicies()
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
    this.operators = [operator, ...(options.otherOperators ?? usualOthers)]
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
    })
  }

  /** Messages from a phone that is no modem here; `to` is the number of a SIM. Long texts go in parts, which are counted. */
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

  /** A DELIVER or STATUS-REPORT as it is, without a service centre address in front. */
  sendRaw(to: string, tpdu: Uint8Array): void {
    this.#inject(to, [tpdu])
  }

  /** Cell broadcast; the modems that listen to the identifier show it. */
  broadcast(text: string, options: BroadcastOptions = {}): void {
    for (const page of broadcastPages(text, options)) {
      for (const { station } of this.#byImsi.values()) station?.broadcast(page)
    }
  }

  /** USSD that the network begins. False when no modem is there to take it. */
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

  /** An incoming voice call. False when no modem is there to ring. */
  call(from: string, to: string, forMs = 20_000): boolean {
    const { station } = this.#subscriberOf(to)
    station?.ring(from, forMs)
    return station !== undefined
  }

  /** Undefined takes the service away. */
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

  /** `to` is the number of a SIM; undefined: everybody, also those who come later. */
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

  // From here on: for modems.

  readonly #listeners = new Map<string, (coverage: Coverage) => void>()

  /** Known from the first time its SIM is in a modem; messages for it are kept from then on. */
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

  /** What the air is like where this SIM is, registered or not; one listener for each SIM. */
  coverage(sim: Sim): Coverage {
    return this.#enrolled(sim).coverage
  }

  whenCoverageChanges(sim: Sim, run: ((coverage: Coverage) => void) | undefined): void {
    if (run) this.#listeners.set(sim.imsi, run)
    else this.#listeners.delete(sim.imsi)
  }

  /** In dB, at random around the set value. */
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

  /** RP-SMMA: there is room again. */
  memoryAvailable(sim: Sim): void {
    this.#enrolled(sim).memoryAvailable()
  }

  /** The result comes after the latency; at once when that is zero. The ledger has the message before `done` is called. */
  submit(sim: Sim, imei: string, tpdu: Uint8Array, submit: Submit, done: (result: SubmitResult) => void): void {
    const sender = this.#enrolled(sim)
    const delayMs = this.latencyMs()
    if (delayMs === 0) done(this.#centre.submit(sender, imei, tpdu, submit))
    else this.#options.clock.after(delayMs, () => done(this.#centre.submit(sender, imei, tpdu, submit)))
  }

  /** A code opens a dialogue, anything else answers the one that is open. */
  ussd(sim: Sim, text: string, reply: (reply: UssdReply) => void): void {
    const subscriber = this.#enrolled(sim)
    this.#options.onEvent?.({ kind: 'ussd', msisdn: sim.msisdn, from: 'modem', text })
    this.#options.clock.after(this.latencyMs(), () => {
      const answer = this.#ussdReply(subscriber, text)
      if (answer.kind === 'text') {
        this.#options.onEvent?.({ kind: 'ussd', msisdn: sim.msisdn, from: 'network', text: answer.text })
      }
      reply(answer)
    })
  }

  endUssd(sim: Sim): void {
    this.#enrolled(sim).ussd = undefined
  }

  latencyMs(): number {
    const latency = this.#latencyMs
    if (typeof latency === 'number') return latency
    return latency.minMs + this.#options.random.integer(latency.maxMs - latency.minMs + 1)
  }

  #ussdReply(subscriber: Subscriber, text: string): UssdReply {
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

  #envelope(from: string, protocolIdentifier = 0): Envelope {
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
  readonly random: Random
  /** What a SUBMIT takes from the modem to the service centre and back, and a DELIVER until it shows. Default 0. */
  readonly latencyMs?: Latency
  readonly serviceCentre?: string
  /** Time zone of the network's time stamps. Default 0. */
  readonly zoneQuarters?: number
  readonly operator?: Operator
  /** Others that a scan finds. */
  readonly otherOperators?: readonly Operator[]
  readonly coverage?: Partial<Coverage>
  /** The signal moves by up to so many dB around where it was set. Default 0. */
  readonly signalWanderDb?: number
  /** First pause before a message that was turned away is tried again. Default 30 s. */
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

/** For views and tests; the network keeps no more than it must. */
export type NetworkEvent =
  | { readonly kind: 'accepted'; readonly entry: LedgerEntry }
  | { readonly kind: 'refused'; readonly imsi: string; readonly destination: string; readonly cause: number }
  | { readonly kind: 'left'; readonly message: LeftMessage }
  | { readonly kind: 'kept'; readonly msisdn: string; readonly reason: 'absent' | 'memory-full' | 'unanswered' }
  | { readonly kind: 'arrived'; readonly msisdn: string; readonly tpdu: string }
  | { readonly kind: 'expired'; readonly msisdn: string }
  | { readonly kind: 'ussd'; readonly msisdn: string; readonly from: 'modem' | 'network'; readonly text: string }
  | { readonly kind: 'coverage'; readonly msisdn: string; readonly coverage: Coverage }

/** A message to a number that no modem here has. */
export interface LeftMessage {
  readonly epochMs: number
  readonly from: string
  readonly to: string
  readonly text?: string
  readonly data?: string
  readonly part?: NonNullable<LedgerEntry['part']>
}

export interface NetworkSnapshot {
  readonly operator: Operator
  readonly serviceCentre: string
  readonly latencyMs: Latency
  readonly accepted: number
  /** The last thousand, newest last. */
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
const usualOperator: Operator = { name: 'Emulated Mobile', shortName: 'EMU', numeric: '00101' }
const usualOthers: readonly Operator[] = [{ name: 'Other Mobile', shortName: 'OTHER', numeric: '00102' }]
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
