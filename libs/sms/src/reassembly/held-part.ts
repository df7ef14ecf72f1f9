import type { Address } from '../fields/address.ts'
import type { Alphabet } from '../fields/data-coding-scheme.ts'
import { epochMsFromTimeStamp, type InvalidTimeStamp, isValidTimeStamp, type TimeStamp } from '../fields/time-stamp.ts'
import type { UserData } from '../fields/user-data.ts'
import type { Concatenation } from '../fields/user-data-header.ts'
import { hexFromOctets } from '../octets.ts'

/** One part of a long message as read from the modem. */
export interface ReceivedPart {
  /** The caller's id of the stored PDU; the same PDU always has the same id. */
  readonly partId: string
  /** A permanent id of the SIM; never the port or the slot. */
  readonly sim: string
  readonly sender: Address
  readonly concatenation: Concatenation
  readonly userData: UserData
  readonly dataCodingScheme: number
  readonly protocolIdentifier: number
  readonly serviceCentreTimeStamp: TimeStamp | InvalidTimeStamp
  /** The time when the part was read from the modem. */
  readonly atMs: number
  /** The fingerprint; present if the part was read from storage without its content. */
  readonly fingerprint?: string
}

/** A part in memory, as plain JSON. */
export interface HeldPart {
  readonly partId: string
  readonly sequence: number
  /** The time when the service centre accepted the part; null if the time stamp is invalid. */
  readonly sentMs: number | null
  readonly atMs: number
  /** The hash of all fields that are the same in a resent copy. */
  readonly fingerprint: string
  /** The content; null after the message is complete, because the other members are sufficient to recognise a copy. */
  readonly content: PartContent | null
}

export interface PartContent {
  readonly alphabet: Alphabet
  readonly compressed: boolean
  /** True if the last octet was missing. */
  readonly truncated: boolean
  /** The header in hexadecimal, with UDHL; empty without a header. */
  readonly header: string
  /** The units in hexadecimal, one octet for each septet. */
  readonly units: string
  readonly dataCodingScheme: number
  readonly protocolIdentifier: number
}

export function heldPartOf(part: ReceivedPart): HeldPart {
  const { userData, dataCodingScheme, protocolIdentifier, serviceCentreTimeStamp } = part
  const content: PartContent = {
    alphabet: userData.alphabet,
    compressed: userData.compressed ?? false,
    truncated: userData.truncated ?? false,
    header: hexFromOctets(userData.header?.raw ?? new Uint8Array()),
    units: hexFromOctets(userData.units),
    dataCodingScheme,
    protocolIdentifier,
  }
  return {
    partId: part.partId,
    sequence: part.concatenation.sequence,
    sentMs: isValidTimeStamp(serviceCentreTimeStamp) ? epochMsFromTimeStamp(serviceCentreTimeStamp) : null,
    atMs: part.atMs,
    fingerprint:
      part.fingerprint ?? fingerprintOf(`${dataCodingScheme} ${protocolIdentifier} ${content.header} ${content.units}`),
    content,
  }
}

/**
 * Returns true if the modem listed the part twice or the network delivered it twice. In both cases the time stamps are
 * equal. Invalid time stamps do not count, because a service centre without a valid clock writes the same time stamp in
 * every message.
 */
export function isSamePart(one: HeldPart, other: HeldPart): boolean {
  if (!isSameContent(one, other)) return false
  return one.partId === other.partId || (one.sentMs !== null && one.sentMs === other.sentMs)
}

/**
 * Returns true if the service centre accepted the part twice, because the sender received no answer in time and
 * submitted the part again.
 */
export function isResentPart(one: HeldPart, other: HeldPart, withinMs: number): boolean {
  return isSameContent(one, other) && Math.abs(elapsedMs(one, other)) <= withinMs
}

/**
 * Returns the time between the acceptance of two parts by the service centre, or between their arrivals if a time stamp
 * is invalid.
 */
export function elapsedMs(from: HeldPart, to: HeldPart): number {
  return from.sentMs === null || to.sentMs === null ? to.atMs - from.atMs : to.sentMs - from.sentMs
}

function isSameContent(one: HeldPart, other: HeldPart): boolean {
  return one.sequence === other.sequence && one.fingerprint === other.fingerprint
}

/**
 * 64 bits: FNV-1a and a variant with another multiplier. Sufficient for the parts of one sender, but not safe against
 * attacks.
 */
function fingerprintOf(text: string): string {
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let i = 0; i < text.length; i++) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193)
    high = Math.imul(high ^ text.charCodeAt(i), 0x5bd1e995)
  }
  return [high, low].map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('')
}
