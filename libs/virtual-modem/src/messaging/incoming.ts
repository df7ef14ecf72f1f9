import { addressFromText, encodeServiceCentreAddress, textFromAddress } from '@smsgw/sms/fields/address'
import { decodeDataCodingScheme } from '@smsgw/sms/fields/data-coding-scheme'
import { decodeProtocolIdentifier } from '@smsgw/sms/fields/protocol-identifier'
import { joinOctets } from '@smsgw/sms/octets'
import { type Deliver, decodeDeliver } from '@smsgw/sms/tpdu/deliver'
import type { Clock, Timer } from '../clock.ts'
import type { Cnmi } from '../equipment/settings.ts'
import { ArrivalFaults } from '../faults/arrival.ts'
import { reportIndication, slotText, storageForArrival, storageIsFull } from '../faults/storage.ts'
import type { DeliveryReply, Downlink } from '../network/station.ts'
import type { Sim } from '../sim/sim.ts'
import { type IndicationModem, showBroadcast, showDeliver, showStatusReport } from './indication.ts'
import type { MessageMemory } from './message-memory.ts'
import { type MemoryEntry, receivedUnread } from './message-memory.ts'
import { decoded } from './pdu.ts'
import type { Storage, Storages } from './storages.ts'

type Answer = (reply: DeliveryReply) => void

/**
 * Stores messages from the network or routes them to the host, according to CNMI (27.005 §3.4.1).
 *
 * States:
 * - free: the next message can be received.
 * - unacknowledged: with CSMS=1 a message was routed to the host, which must answer with CNMA in time. Otherwise the
 *   network gets an error and routing stops: `<mt>` and `<ds>` become 0.
 */
export class IncomingMessages {
  arrived = 0
  readonly #modem: IncomingModem
  readonly #arrivalFaults: ArrivalFaults
  #unacknowledged: { readonly answer: Answer; readonly timer: Timer } | undefined
  /** True if a message was refused because the memory was full. */
  #refusedForMemory = false

  constructor(modem: IncomingModem) {
    this.#modem = modem
    this.#arrivalFaults = new ArrivalFaults(modem.faults)
  }

  arrive(message: Downlink, answer: Answer): void {
    const outcome = this.#arrivalFaults.outcomeOf(message.tpdu)
    if (outcome === 'lost') answer('taken')
    else if (outcome === 'later') answer('later')
    else {
      const tpdu = this.#arrivalFaults.withFaultyReference(message.tpdu)
      const pdu = joinOctets([encodeServiceCentreAddress(addressFromText(message.serviceCentre)), tpdu])
      const reply: Answer = outcome === 'again' ? (result) => answer(result === 'taken' ? 'again' : result) : answer
      if (((tpdu[0] ?? 0) & 0b11) === statusReportType) this.#routeReport({ pdu, tpdu, answer: reply })
      else this.#routeDeliver({ pdu, tpdu, answer: reply })
    }
  }

  /** Handles CNMA. Returns false if no message waits for an acknowledgement. */
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

  /** Reports free memory to the network after a message was refused (RP-SMMA). */
  memoryChanged(): void {
    const { sim, network } = this.#modem
    if (!this.#refusedForMemory || sim === undefined || this.#modem.faults.standing('storage-full')) return
    this.#refusedForMemory = false
    sim.memoryExceeded = false
    network.memoryAvailable(sim)
  }

  #routeDeliver(arrival: Arrival): void {
    const deliver = decoded(() => decodeDeliver(arrival.tpdu))
    // 23.040 §9.2.3.9: acknowledges the message, then drops it.
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
    const { settings, faults, storages, terminals, personality } = this.#modem
    const named = forCard ? 'SM' : settings.memories[2]
    const storage = storages.get(storageForArrival(faults, named)) ?? storages.get(named)
    if (storage === undefined) {
      arrival.answer('error')
      return
    }
    const stored: MemoryEntry = { state: receivedUnread, pdu: arrival.pdu, kind: 'deliver' }
    const slot = (deliver && replacedSlot(storage, deliver)) ?? this.#freeSlot(storage, stored)
    if (slot === undefined) {
      this.#refuseForMemory(storage, arrival)
      return
    }
    storage.replace(slot, stored)
    storages.countLater(storage)
    this.#taken(arrival)
    const shownOn = terminals.wanting(({ mt }) => mt !== 0)
    if (shownOn.length === 0) return
    const place = storage.locate(slot)
    const indication = `+CMTI: "${place.name}",${slotText(faults, place.slot + personality.messages.firstIndex)}`
    if (faults.strike('urc-lost')) return
    for (const unsolicited of shownOn) unsolicited.indicate(indication)
    if (faults.strike('cmti-twice')) for (const unsolicited of shownOn) unsolicited.indicate(indication)
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
      const stored: MemoryEntry = { state: receivedUnread, pdu: arrival.pdu, kind: 'status-report' }
      const slot = this.#freeSlot(storage, stored)
      if (slot === undefined) {
        this.#refuseForMemory(storage, arrival)
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

  #freeSlot(storage: Storage, message: MemoryEntry): number | undefined {
    return storageIsFull(this.#modem.faults) ? undefined : storage.store(message)
  }

  #refuseForMemory(storage: Storage, { answer }: Arrival): void {
    const { sim, unsolicited, personality } = this.#modem
    if (!this.#refusedForMemory) unsolicited.say(...personality.messages.memoryFullLines(storage))
    this.#refusedForMemory = true
    if (sim) sim.memoryExceeded = true
    answer('memory-full')
  }
}

/** The parts of the modem that receiving a message needs. */
export interface IncomingModem extends IndicationModem {
  readonly clock: Clock
  readonly storages: Storages
  readonly nonVolatile: { readonly phoneMemory: MessageMemory }
  readonly unsolicited: Indications
  /** The terminals that have requested indications. */
  readonly terminals: { wanting(isWanted: (cnmi: Cnmi) => boolean): readonly Indications[] }
  readonly network: { memoryAvailable(sim: Sim): void }
  readonly outgoing: { reportShown(): void }
}

interface Indications {
  say(...lines: readonly string[]): void
  indicate(line: string): void
}

interface Arrival {
  /** Service centre address and TPDU. */
  readonly pdu: Uint8Array
  readonly tpdu: Uint8Array
  readonly answer: Answer
}

const statusReportType = 0b10
/** How long the modem waits for CNMA. Shorter than TRAM, the 25 to 35 s for which the network waits (24.011 §10). */
const acknowledgeWithinMs = 20_000

/** Returns the slot of the message that a replace message overwrites (23.040 §9.2.3.9). */
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

/** CSCB: mode 0 lists accepted identifiers, mode 1 lists refused identifiers; `0-5` is a range. */
function listensTo(broadcast: { readonly mode: 0 | 1; readonly identifiers: string }, identifier: number): boolean {
  const listed = broadcast.identifiers.split(',').some((range) => {
    const [first, last] = range.split('-')
    return first !== undefined && first !== '' && identifier >= Number(first) && identifier <= Number(last ?? first)
  })
  return broadcast.mode === 0 ? listed : !listed
}
