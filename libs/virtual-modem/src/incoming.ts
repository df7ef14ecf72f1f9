import { addressFromText, encodeServiceCentreAddress, textFromAddress } from '@smsgw/sms/address'
import { decodeDataCodingScheme } from '@smsgw/sms/data-coding-scheme'
import { type Deliver, decodeDeliver } from '@smsgw/sms/deliver'
import { joinOctets } from '@smsgw/sms/octets'
import { decodeProtocolIdentifier } from '@smsgw/sms/protocol-identifier'
import type { Timer } from './clock.ts'
import { ArrivalFaults } from './faults/parts.ts'
import { reportIndication, storageForArrival, storageIsFull } from './faults/storage.ts'
import { showBroadcast, showDeliver, showStatusReport } from './indication.ts'
import { receivedUnread, type StoredMessage } from './message-memory.ts'
import type { MobileEquipment } from './mobile-equipment.ts'
import type { DeliveryReply, Downlink } from './network/station.ts'
import { decoded } from './pdu.ts'
import type { Storage } from './storages.ts'

type Answer = (reply: DeliveryReply) => void

/**
 * Messages from the network, to memory or straight to the host as CNMI says (27.005 §3.4.1).
 *
 * - free: the next message can come.
 * - unacknowledged: with CSMS=1 a message was routed to the host, which has to say CNMA in time. When it does not, the
 *   network is told that the message was not taken and routing ends: `<mt>` and `<ds>` become 0.
 */
export class Incoming {
  arrived = 0
  readonly #modem: MobileEquipment
  readonly #arrivalFaults: ArrivalFaults
  #unacknowledged: { readonly answer: Answer; readonly timer: Timer } | undefined
  /** A message was turned away because no memory was free. */
  #turnedAway = false

  constructor(modem: MobileEquipment) {
    this.#modem = modem
    this.#arrivalFaults = new ArrivalFaults(modem.faults)
  }

  arrive(message: Downlink, answer: Answer): void {
    const fate = this.#arrivalFaults.fateOf(message.tpdu)
    if (fate === 'lost') answer('taken')
    else if (fate === 'later') answer('later')
    else {
      const tpdu = this.#arrivalFaults.disguise(message.tpdu)
      const pdu = joinOctets([encodeServiceCentreAddress(addressFromText(message.serviceCentre)), tpdu])
      const tell: Answer = fate === 'again' ? (reply) => answer(reply === 'taken' ? 'again' : reply) : answer
      if (((tpdu[0] ?? 0) & 0b11) === statusReportType) this.#routeReport({ pdu, tpdu, answer: tell })
      else this.#routeDeliver({ pdu, tpdu, answer: tell })
    }
  }

  /** CNMA. False when nothing waits for it. */
  acknowledge(accepted: boolean): boolean {
    const waiting = this.#unacknowledged
    if (waiting === undefined) return false
    this.#unacknowledged = undefined
    waiting.timer.cancel()
    waiting.answer(accepted ? 'taken' : 'error')
    return true
  }

  broadcast(page: Uint8Array): void {
    const { settings, unsolicited } = this.#modem
    const identifier = ((page[2] ?? 0) << 8) | (page[3] ?? 0)
    if (!listensTo(settings.broadcast, identifier) || settings.cnmi.bm === 0) return
    unsolicited.indicate(showBroadcast(this.#modem, page))
  }

  watchMemories(): void {
    const freed = () => this.memoryChanged()
    this.#modem.sim?.messages.whenFreed(freed)
    this.#modem.nonVolatile.phoneMemory.whenFreed(freed)
  }

  /** Tells the network that there is room again, when there was none (RP-SMMA). */
  memoryChanged(): void {
    const { sim, network } = this.#modem
    if (!this.#turnedAway || sim === undefined || this.#modem.faults.standing('storage-full')) return
    this.#turnedAway = false
    sim.memoryExceeded = false
    network.memoryAvailable(sim)
  }

  #routeDeliver(arrival: Arrival): void {
    const deliver = decoded(() => decodeDeliver(arrival.tpdu))
    // 23.040 §9.2.3.9: to be acknowledged and forgotten.
    if (deliver && decodeProtocolIdentifier(deliver.protocolIdentifier).kind === 'silent') {
      arrival.answer('taken')
      return
    }
    const scheme = decodeDataCodingScheme(deliver?.dataCodingScheme ?? 0)
    const { mt } = this.#modem.settings.cnmi
    const forCard = scheme.messageClass === 2 || scheme.messageWaiting?.store === true
    const direct = (mt === 2 && !forCard) || (mt === 3 && scheme.messageClass === 3)
    if (direct) this.#show(showDeliver(this.#modem, arrival.pdu, deliver), arrival)
    else this.#storeDeliver(arrival, deliver, scheme.messageClass === 2)
  }

  #storeDeliver(arrival: Arrival, deliver: Deliver | undefined, forCard: boolean): void {
    const { settings, faults, storages, unsolicited, personality } = this.#modem
    const named = forCard ? 'SM' : settings.memories[2]
    const storage = storages.get(storageForArrival(faults, named)) ?? storages.get(named)
    if (storage === undefined) {
      arrival.answer('error')
      return
    }
    const stored: StoredMessage = { state: receivedUnread, pdu: arrival.pdu, kind: 'deliver' }
    const slot = (deliver && replacedSlot(storage, deliver)) ?? this.#freeSlot(storage, stored)
    if (slot === undefined) {
      this.#turnAway(storage, arrival)
      return
    }
    storage.replace(slot, stored)
    storages.countLater(storage)
    this.#taken(arrival)
    if (settings.cnmi.mt === 0) return
    const place = storage.locate(slot)
    const indication = `+CMTI: "${place.name}",${place.slot + personality.messages.firstIndex}`
    if (faults.strike('urc-lost')) return
    unsolicited.indicate(indication)
    if (faults.strike('cmti-twice')) unsolicited.indicate(indication)
  }

  #routeReport(arrival: Arrival): void {
    const { settings, faults, storages, unsolicited, personality } = this.#modem
    const { ds } = settings.cnmi
    if (ds === 1) this.#show(showStatusReport(this.#modem, arrival.pdu), arrival)
    else if (ds === 0 || personality.messages.losesStoredReports) arrival.answer('taken')
    else {
      const storage = storages.get('SR') ?? storages.get(settings.memories[2])
      if (storage === undefined) {
        arrival.answer('error')
        return
      }
      const stored: StoredMessage = { state: receivedUnread, pdu: arrival.pdu, kind: 'status-report' }
      const slot = this.#freeSlot(storage, stored)
      if (slot === undefined) {
        this.#turnAway(storage, arrival)
        return
      }
      this.#taken(arrival)
      if (faults.strike('urc-lost')) return
      const place = storage.locate(slot)
      unsolicited.indicate(reportIndication(faults, place.name, place.slot + personality.messages.firstIndex))
    }
    this.#modem.outgoing.reportShown()
  }

  #show(lines: string, arrival: Arrival): void {
    const { settings, clock, unsolicited } = this.#modem
    if (settings.messageService === 1) {
      const timer = clock.after(acknowledgeWithinMs, () => {
        this.#modem.settings.cnmi = { ...this.#modem.settings.cnmi, mt: 0, ds: 0 }
        this.acknowledge(false)
      })
      this.#unacknowledged = {
        answer: (reply) => (reply === 'taken' ? this.#taken(arrival) : arrival.answer(reply)),
        timer,
      }
    } else this.#taken(arrival)
    unsolicited.indicate(lines)
  }

  #taken(arrival: Arrival): void {
    this.arrived += 1
    arrival.answer('taken')
  }

  #freeSlot(storage: Storage, message: StoredMessage): number | undefined {
    return storageIsFull(this.#modem.faults) ? undefined : storage.store(message)
  }

  #turnAway(storage: Storage, { answer }: Arrival): void {
    const { sim, unsolicited, personality } = this.#modem
    if (!this.#turnedAway) unsolicited.say(...personality.messages.memoryFullLines(storage))
    this.#turnedAway = true
    if (sim) sim.memoryExceeded = true
    answer('memory-full')
  }
}

interface Arrival {
  /** With the service centre in front. */
  readonly pdu: Uint8Array
  readonly tpdu: Uint8Array
  readonly answer: Answer
}

const statusReportType = 0b10
/** The network waits about TRAM, 25 to 35 s (24.011 §10). */
const acknowledgeWithinMs = 20_000

/** A replace message takes the place of the one it replaces (23.040 §9.2.3.9). */
function replacedSlot(storage: Storage, deliver: Deliver): number | undefined {
  if (decodeProtocolIdentifier(deliver.protocolIdentifier).kind !== 'replace') return undefined
  const sender = textFromAddress(deliver.originator)
  for (const [slot, { kind, pdu }] of storage.entries()) {
    if (kind !== 'deliver') continue
    const stored = decoded(() => decodeDeliver(pdu, 1 + (pdu[0] ?? 0)))
    if (stored === undefined) continue
    if (stored.protocolIdentifier === deliver.protocolIdentifier && textFromAddress(stored.originator) === sender) {
      return slot
    }
  }
  return undefined
}

/** CSCB: mode 0 lists what is wanted, mode 1 what is not; a range is `0-5`. */
function listensTo(broadcast: { readonly mode: 0 | 1; readonly identifiers: string }, identifier: number): boolean {
  const listed = broadcast.identifiers.split(',').some((range) => {
    const [first, last] = range.split('-')
    return first !== undefined && first !== '' && identifier >= Number(first) && identifier <= Number(last ?? first)
  })
  return broadcast.mode === 0 ? listed : !listed
}
