import { type Address, textFromAddress } from '../src/fields/address.ts'
import { decodeDataCodingScheme } from '../src/fields/data-coding-scheme.ts'
import { isoFromTimeStamp, isValidTimeStamp } from '../src/fields/time-stamp.ts'
import { textOfUserData } from '../src/fields/user-data.ts'
import { concatenationOf, nationalLanguagesOf } from '../src/fields/user-data-header.ts'
import { hexFromOctets, octetsFromHex } from '../src/octets.ts'
import { PduDecodeError } from '../src/pdu-error.ts'
import { decodeIncoming, decodeOutgoing, type Tpdu } from '../src/tpdu/tpdu.ts'

/** A PDU as decoded by this package, in the fields that gammu uses, with the data that explains differences. */
export interface OurReading {
  readonly fields: Readonly<Record<Field, string>>
  readonly serviceCentre: Address | undefined
  readonly tpdu: Tpdu
}

export type Field =
  | 'type'
  | 'service centre'
  | 'number'
  | 'text'
  | 'coding'
  | 'class'
  | 'time'
  | 'status'
  | 'reference'
  | 'header'
  | 'parts'

/** Returns undefined if the octets are invalid, or if gammu does not support this kind of message. */
export function ourReading(pdu: string, direction: 'incoming' | 'outgoing'): OurReading | undefined {
  try {
    const octets = octetsFromHex(pdu)
    const { serviceCentre, tpdu } = direction === 'incoming' ? decodeIncoming(octets) : decodeOutgoing(octets)
    if (tpdu.kind !== 'deliver' && tpdu.kind !== 'submit' && tpdu.kind !== 'status-report') return undefined
    const address = serviceCentre === undefined ? '' : textFromAddress(serviceCentre)
    return { fields: { ...fieldsOf(tpdu), 'service centre': address }, serviceCentre, tpdu }
  } catch (error) {
    if (error instanceof PduDecodeError) return undefined
    throw error
  }
}

type Compared = Extract<Tpdu, { kind: 'deliver' | 'submit' | 'status-report' }>

function fieldsOf(tpdu: Compared): Omit<Readonly<Record<Field, string>>, 'service centre'> {
  // Leaves out the text of a report, which gammu replaces with its own text.
  const userData = tpdu.kind === 'status-report' ? undefined : tpdu.userData
  const scheme = decodeDataCodingScheme(tpdu.dataCodingScheme ?? 0)
  return {
    type: { deliver: 'Deliver', submit: 'Submit', 'status-report': 'Status_Report' }[tpdu.kind],
    number: textFromAddress(addressIn(tpdu)),
    text: userData === undefined ? '' : (textOfUserData(userData) ?? hexFromOctets(userData.units)),
    coding: userData === undefined ? '' : codings[userData.alphabet],
    class: userData === undefined ? '' : String(scheme.messageClass ?? -1),
    time: tpdu.kind === 'submit' ? '' : localTime(tpdu.serviceCentreTimeStamp),
    status: tpdu.kind === 'status-report' ? String(tpdu.status) : '',
    reference: tpdu.kind === 'status-report' ? String(tpdu.messageReference) : '',
    header: userData?.header === undefined ? '' : hexFromOctets(userData.header.raw),
    parts: partsOf(tpdu),
  }
}

export const codings = {
  gsm7: 'Default_No_Compression',
  ucs2: 'Unicode_No_Compression',
  octets: '8bit',
} as const

export function hasNationalLanguage({ userData }: Tpdu): boolean {
  const { locking, single } = nationalLanguagesOf(userData?.header)
  return locking !== undefined || single !== undefined
}

export function addressIn(tpdu: Compared): Address {
  if (tpdu.kind === 'deliver') return tpdu.originator
  return tpdu.kind === 'submit' ? tpdu.destination : tpdu.recipient
}

function localTime(time: Extract<Compared, { kind: 'deliver' }>['serviceCentreTimeStamp']): string {
  return isValidTimeStamp(time) ? isoFromTimeStamp(time).slice(0, 'yyyy-mm-ddThh:mm:ss'.length) : ''
}

function partsOf(tpdu: Compared): string {
  const concatenation = tpdu.kind === 'status-report' ? undefined : concatenationOf(tpdu.userData?.header)
  return concatenation === undefined
    ? ''
    : `${concatenation.reference} ${concatenation.sequence}/${concatenation.total}`
}
