import type { Address } from './address.ts'
import type { Alphabet } from './data-coding-scheme.ts'
import { hexFromOctets } from './octets.ts'
import { epochMsFromTimeStamp, type InvalidTimeStamp, isValidTimeStamp, type TimeStamp } from './time-stamp.ts'
import type { UserData } from './user-data.ts'
import type { Concatenation } from './user-data-header.ts'

/** One part of a long message as it came from the modem. */
export interface ReceivedPart {
  /** The caller's name for the stored PDU: the same whenever the same PDU is handed in. */
  readonly partId: string
  /** Whatever names the SIM for good; never the port or the slot. */
  readonly sim: string
  readonly sender: Address
  readonly concatenation: Concatenation
  readonly userData: UserData
  readonly dataCodingScheme: number
  readonly protocolIdentifier: number
  readonly serviceCentreTimeStamp: TimeStamp | InvalidTimeStamp
  /** When it was read. */
  readonly atMs: number
}

/** What is kept of a part, as plain JSON. */
export interface HeldPart {
  readonly partId: string
  readonly sequence: number
  /** When the centre took it from the sender; null when its time stamp is no time. */
  readonly sentMs: number | null
  readonly atMs: number
  /** Of everything a resent copy has in common with the first. */
  readonly fingerprint: string
  /** Null once the message is complete: what remains is enough to know a copy. */
  readonly content: PartContent | null
}

export interface PartContent {
  readonly alphabet: Alphabet
  readonly compressed: boolean
  /** Its last octet was missing. */
  readonly truncated: boolean
  /** Hexadecimal, UDHL included; empty without a header. */
  readonly header: string
  /** Hexadecimal; a septet is an octet here. */
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
    fingerprint: fingerprintOf(`${dataCodingScheme} ${protocolIdentifier} ${content.header} ${content.units}`),
    content,
  }
}

/**
 * The modem showed it again, or the network delivered it again: what the centre took once has one time stamp. A stamp that
 * is no time proves nothing: centres that write one write the same in every message.
 */
export function isSamePart(one: HeldPart, other: HeldPart): boolean {
  if (!isSameContent(one, other)) return false
  return one.partId === other.partId || (one.sentMs !== null && one.sentMs === other.sentMs)
}

/** The sender got no answer in time and submitted the part again: the centre took both. */
export function isResentPart(one: HeldPart, other: HeldPart, withinMs: number): boolean {
  return isSameContent(one, other) && Math.abs(elapsedMs(one, other)) <= withinMs
}

/** From when the centre took the one to when it took the other; from arrival to arrival when a stamp is no time. */
export function elapsedMs(from: HeldPart, to: HeldPart): number {
  return from.sentMs === null || to.sentMs === null ? to.atMs - from.atMs : to.sentMs - from.sentMs
}

function isSameContent(one: HeldPart, other: HeldPart): boolean {
  return one.sequence === other.sequence && one.fingerprint === other.fingerprint
}

/** 64 bits in two lanes (FNV-1a and a sibling with another multiplier). Told apart are parts of one sender, no attacks. */
function fingerprintOf(text: string): string {
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let i = 0; i < text.length; i++) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193)
    high = Math.imul(high ^ text.charCodeAt(i), 0x5bd1e995)
  }
  return [high, low].map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('')
}
