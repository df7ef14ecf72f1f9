import { decodeDataCodingScheme } from '@smsgw/sms/fields/data-coding-scheme'
import { decodeProtocolIdentifier } from '@smsgw/sms/fields/protocol-identifier'
import {
  epochMsFromTimeStamp,
  type InvalidTimeStamp,
  isValidTimeStamp,
  type TimeStamp,
} from '@smsgw/sms/fields/time-stamp'
import { textOfUserData } from '@smsgw/sms/fields/user-data'
import { concatenationOf, portsOf } from '@smsgw/sms/fields/user-data-header'
import { octetsFromHex } from '@smsgw/sms/octets'
import type { ReassemblyEffect } from '@smsgw/sms/reassembly/reassemble'
import type { Deliver } from '@smsgw/sms/tpdu/deliver'
import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import { decodeIncoming } from '@smsgw/sms/tpdu/tpdu'
import { wapPushPort } from '@smsgw/sms/wap/wsp-push'
import type { Change, Json } from '../journal/change.ts'
import type { InboundRecord } from '../journal/read.ts'
import { datedMs, type TrustedTime } from '../time/trusted-time.ts'
import { type Content, contentEvent } from './content-event.ts'
import { encryptedEvent, type InboxKey } from './encrypted-event.ts'
import { LongMessages, originatorText } from './long-messages.ts'
import { derivedPduId } from './pdu-identity.ts'

/**
 * Decides how a received PDU is processed. Returns the changes that are written together with the PDU. Status reports,
 * and PDUs without a trusted time, have no result yet.
 */
export class InboundOutcomes {
  readonly #options: InboundOutcomesOptions
  readonly #long: LongMessages
  /** Ids of the MMS notifications that were reported; the network repeats a notification until the MMS is fetched. */
  readonly #mmsIds = new Set<string>()
  /** The effects of released parts whose events are not written yet. */
  #released: readonly ReassemblyEffect[] = []

  constructor(options: InboundOutcomesOptions) {
    this.#options = options
    this.#long = new LongMessages()
  }

  /** Returns the changes that an interrupted release of parts did not write. */
  restore(records: readonly InboundRecord[], notes: Readonly<Record<string, Json>>): readonly Change[] {
    const changes = this.#long.restore(records, notes)
    for (const { detail } of records) {
      const mms = (detail as { mms?: string } | undefined)?.mms
      if (mms !== undefined) this.#rememberMms(mms)
    }
    return changes
  }

  /** Returns the result of a PDU. A PDU that cannot be processed is kept unchanged and does not affect other PDUs. */
  of(row: InboundRecord): readonly Change[] {
    try {
      return this.#outcome(row)
    } catch (error) {
      this.#options.onError(error)
      return this.#unreadable(row)
    }
  }

  /**
   * Returns the result of a short text or of data. Returns undefined for any other PDU: to find the result of a part or
   * of an MMS notification, its state is changed, so it must be certain that the PDU is new.
   */
  ofShort(row: InboundRecord): readonly Change[] | undefined {
    const tpdu = tpduIn(row.pdu)
    if (tpdu?.kind !== 'deliver' || isSilent(tpdu)) return undefined
    const { header } = tpdu.userData
    if (concatenationOf(header) !== undefined || portsOf(header)?.destination === wapPushPort) return undefined
    return this.dateOf(row) === undefined ? undefined : this.of(row)
  }

  /** Returns the time when a PDU arrived, or undefined until the clock can be trusted. */
  dateOf({ received }: InboundRecord): number | undefined {
    const now = this.#options.time.stamp()
    // After a restart the time of arrival is lost, so the first trusted time is the best estimate.
    const mayEstimate = now.trusted && received.bootId !== now.bootId
    return datedMs(received, now) ?? (mayEstimate ? now.wallMs : undefined)
  }

  /** Releases the parts of messages that never became complete. */
  async release(
    wallMs: number,
    rowOf: (pduId: string) => Promise<InboundRecord | undefined>,
  ): Promise<readonly Change[]> {
    const { effects, changes } = this.#long.tick(wallMs)
    // Keeps the effects for the next call, because the journal may not be readable now.
    this.#released = [...this.#released, ...effects]
    const events: Change[] = []
    for (const effect of this.#released) {
      if (effect.kind === 'part-duplicated') continue
      const [firstId] = effect.partIds
      const first = firstId === undefined ? undefined : await rowOf(firstId)
      const deliver = first === undefined ? undefined : tpduIn(first.pdu)
      if (first === undefined || deliver?.kind !== 'deliver') continue
      events.push(...this.#joined(first, deliver, first.receivedMs, effect).filter(({ kind }) => kind === 'event'))
    }
    events.push(...this.#long.forgotten(this.#released))
    this.#released = []
    return [...changes, ...events]
  }

  #outcome(row: InboundRecord): readonly Change[] {
    const tpdu = tpduIn(row.pdu)
    if (tpdu === undefined) return this.#unreadable(row)
    if (tpdu.kind !== 'deliver') return []
    const atMs = this.dateOf(row)
    if (atMs === undefined) return []
    if (isSilent(tpdu)) return this.#silent(row)
    const effects = this.#long.take(row.pduId, row.iccid, tpdu, atMs)
    if (effects === undefined) return dated([...this.#single(row, tpdu, atMs), forgotten(row)], atMs)
    const joined = effects.flatMap((effect) => this.#joined(row, tpdu, atMs, effect))
    return dated([...joined, settled(row, 'joined'), ...this.#long.forgotten(effects)], atMs)
  }

  #single(row: InboundRecord, deliver: Deliver, atMs: number): readonly Change[] {
    const content: Content = {
      userData: [deliver.userData],
      text: textOfUserData(deliver.userData),
      dataCodingScheme: deliver.dataCodingScheme,
      parts: 1,
      isPartial: false,
    }
    return this.#received(
      row,
      row.pduId,
      originatorText(deliver),
      receivedMs(deliver.serviceCentreTimeStamp, atMs),
      content,
    )
  }

  #joined(row: InboundRecord, deliver: Deliver, atMs: number, effect: ReassemblyEffect): readonly Change[] {
    // A copy of a part needs no event, because it contains nothing new.
    if (effect.kind === 'part-duplicated') return []
    const content: Content = {
      userData: effect.message.userData,
      text: effect.message.text,
      dataCodingScheme: effect.message.dataCodingScheme,
      parts: effect.total,
      isPartial: effect.kind === 'partial-released',
    }
    const when = receivedMs(deliver.serviceCentreTimeStamp, atMs)
    return this.#received(
      row,
      derivedPduId(effect.groupId),
      originatorText({ originator: effect.sender }),
      when,
      content,
    )
  }

  #received(row: InboundRecord, id: string, sender: string, whenMs: number, content: Content): readonly Change[] {
    const clear = contentEvent(
      {
        id,
        sender,
        recipient: (row.detail as { recipient?: string } | undefined)?.recipient,
        simNumber: row.simNumber,
        iccid: row.iccid,
        receivedAt: this.#options.time.local(whenMs),
        receivedMs: whenMs,
        local: (ms) => this.#options.time.local(ms),
      },
      content,
    )
    const key = this.#options.inboxKey()
    const event = key === undefined ? clear : encryptedEvent(clear, key)
    if (event.type !== 'MMS') return [{ kind: 'event', event }, settled(row, 'emitted')]
    if (this.#mmsIds.has(clear.id)) return [settled(row, 'copy')]
    this.#rememberMms(clear.id)
    return [
      { kind: 'event', event },
      { kind: 'inbound-settled', pduId: row.pduId, as: 'emitted', detail: { mms: clear.id } },
    ]
  }

  #unreadable(row: InboundRecord): readonly Change[] {
    const message = `SIM ${row.simNumber}: received a PDU that is not a valid SMS; kept in the journal as ${row.pduId}`
    return [settled(row, 'unreadable'), this.#logged('WARN', message)]
  }

  #silent(row: InboundRecord): readonly Change[] {
    const message = `SIM ${row.simNumber}: received a silent message, which phones do not show; someone may be locating this SIM`
    return [settled(row, 'silent'), forgotten(row), this.#logged('INFO', message)]
  }

  #logged(priority: 'INFO' | 'WARN', message: string): Change {
    const at = this.#options.time.local(this.#options.time.now().wallMs)
    return { kind: 'event', event: { kind: 'logged', at, module: 'receiving', priority, message } }
  }

  #rememberMms(id: string): void {
    this.#mmsIds.add(id)
    const [oldest] = this.#mmsIds
    if (this.#mmsIds.size > mostMmsIds && oldest !== undefined) this.#mmsIds.delete(oldest)
  }
}

interface InboundOutcomesOptions {
  readonly time: TrustedTime
  readonly onError: (error: unknown) => void
  /** The key of the account; undefined if received messages are not encrypted. */
  readonly inboxKey: () => InboxKey | undefined
}

/** The time to show for a message: the network's time stamp when it is plausible, otherwise the agent's time. */
function receivedMs(centre: TimeStamp | InvalidTimeStamp, agentMs: number): number {
  if (!isValidTimeStamp(centre)) return agentMs
  const centreMs = epochMsFromTimeStamp(centre)
  return centreMs >= agentMs - oldestMs && centreMs <= agentMs + furthestAheadMs ? centreMs : agentMs
}

export function forgotten({ pduId }: InboundRecord): Change {
  return { kind: 'inbound-forgotten', pduId }
}

export function settled({ pduId }: InboundRecord, as: string, datedMs?: number): Change {
  return { kind: 'inbound-settled', pduId, as, ...(datedMs !== undefined && { datedMs }) }
}

/** Adds the time of arrival to the changes, because the clock may have been wrong when the messages were stored. */
function dated(changes: readonly Change[], atMs: number): readonly Change[] {
  return changes.map((change) => (change.kind === 'inbound-settled' ? { ...change, datedMs: atMs } : change))
}

export function reportIn(pdu: string): StatusReport | undefined {
  const tpdu = tpduIn(pdu)
  return tpdu?.kind === 'status-report' ? tpdu : undefined
}

/** Undefined when the PDU is not a valid SMS. */
function tpduIn(pdu: string): Deliver | StatusReport | undefined {
  try {
    const { tpdu } = decodeIncoming(octetsFromHex(pdu))
    return tpdu.kind === 'submit-report' ? undefined : tpdu
  } catch {
    return undefined
  }
}

/**
 * Returns true for messages that are never shown: type 0, SIM data download, and a message waiting indication without
 * text.
 */
function isSilent(deliver: Deliver): boolean {
  const { kind } = decodeProtocolIdentifier(deliver.protocolIdentifier)
  if (kind === 'silent' || kind === 'sim-data-download') return true
  const { messageWaiting } = decodeDataCodingScheme(deliver.dataCodingScheme)
  return messageWaiting !== undefined && !messageWaiting.store && textOfUserData(deliver.userData) === ''
}

const mostMmsIds = 10_000
/** Service centres keep messages for a week at most. */
const oldestMs = 7 * 24 * 60 * 60_000
/** Some service centres write local time with the wrong zone, so their time stamps may be in the future. */
const furthestAheadMs = 60 * 60_000
