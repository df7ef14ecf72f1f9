import type { SendOptions } from '@smsgw/client/messages'
import {
  concatenationOf,
  decodeUserDataHeader,
  nationalLanguagesOf,
  portsOf,
  type UserDataHeader,
} from '@smsgw/sms/fields/user-data-header'
import { SmppError } from '../protocol/command.ts'
import { type Coding, codingOf, decodeText, type LanguageShifts, type SmppAlphabet } from '../protocol/data-coding.ts'
import { type SmeAddress, TLV, type Tlvs, tlvNumber } from '../protocol/fields.ts'
import type { SmppSubmission } from '../protocol/requests.ts'

/** The position of a part in a message that the client has split. */
export interface PartPosition {
  readonly width: number
  readonly reference: number
  readonly total: number
  /** From 1. */
  readonly sequence: number
}

/** The content of one submit_sm: a whole message or one part of it. */
export interface SubmittedContent {
  readonly octets: Uint8Array
  readonly coding: Coding
  readonly shifts: LanguageShifts
  readonly port: number | undefined
  readonly position: PartPosition | undefined
}

export function contentOf({ userData, esmClass, dataCoding, tlvs }: SmppSubmission): SubmittedContent {
  checkEsmClass(esmClass)
  const coding = codingOf(dataCoding)
  const header = (esmClass & HAS_HEADER) === 0 ? undefined : decodeUserDataHeader(userData)
  if (header?.broken) throw new SmppError('ESME_RSUBMITFAIL', 'the user data header is broken')
  // The port, for example of a WAP push. 0 means that the message has no port.
  const port = portsOf(header)?.destination ?? tlvNumber(tlvs, TLV.destinationPort, 2)
  if (coding === 'binary' && !port)
    throw new SmppError(
      'ESME_RSUBMITFAIL',
      'binary content needs a port: set it in the user data header or in destination_port',
    )
  if (coding !== 'binary' && port)
    throw new SmppError('ESME_RSUBMITFAIL', 'text to a port cannot be sent; use data_coding 4')
  return {
    octets: header === undefined ? userData : userData.subarray(header.raw.length),
    coding,
    shifts: nationalLanguagesOf(header),
    port,
    position: positionOf(header, tlvs),
  }
}

/** The content in the form of the API. */
export function messageContent(
  octets: Uint8Array,
  { coding, shifts, port }: Pick<SubmittedContent, 'coding' | 'shifts' | 'port'>,
  alphabet: SmppAlphabet,
): { textMessage: { text: string } } | { dataMessage: { data: string; port: number } } {
  if (octets.length === 0) throw new SmppError('ESME_RINVMSGLEN', 'the message is empty')
  if (coding === 'binary' && port !== undefined)
    return { dataMessage: { data: Buffer.from(octets).toString('base64'), port } }
  return { textMessage: { text: decodeText(octets, coding as Exclude<Coding, 'binary'>, alphabet, shifts) } }
}

/** The TON of a number whose client does not say what it is (§5.2.5). */
const UNKNOWN = 0
const INTERNATIONAL = 1
/** A number of the operator, such as a short code: NETWORK_SPECIFIC, SUBSCRIBER and ABBREVIATED. */
const SHORT: readonly number[] = [3, 4, 6]
const ALPHANUMERIC = 5

/** Returns the number in the form of the API. */
export function destinationNumber({ ton, value }: SmeAddress): string {
  if (ton === ALPHANUMERIC || !/^\+?[0-9*#]{1,20}$/.test(value))
    throw new SmppError('ESME_RINVDSTADR', 'destination_addr is not a phone number')
  return ton === INTERNATIONAL && !value.startsWith('+') ? `+${value.replace(/^00/, '')}` : value
}

export type NumberChecks = Pick<SendOptions, 'skipPhoneValidation' | 'allowShortCodes'>

/** Returns how the API must check the numbers. The bridge itself delivers messages of a short code with TON 0. */
export function numberChecks(destinations: readonly SmeAddress[]): NumberChecks {
  if (destinations.some(({ ton }) => SHORT.includes(ton))) return { skipPhoneValidation: true }
  return destinations.some(({ ton }) => ton === UNKNOWN) ? { allowShortCodes: true } : {}
}

const HAS_HEADER = 0x40
const MODE = 0x03
const MODE_TRANSACTION = 0x02
const TYPE = 0x3c

/** §5.2.12 */
function checkEsmClass(esmClass: number): void {
  if ((esmClass & MODE) === MODE_TRANSACTION)
    throw new SmppError('ESME_RINVESMCLASS', 'esm_class: transaction mode is not supported')
  if ((esmClass & TYPE) !== 0)
    throw new SmppError('ESME_RINVESMCLASS', 'esm_class: acknowledgements from phones cannot be sent')
}

function positionOf(header: UserDataHeader | undefined, tlvs: Tlvs): PartPosition | undefined {
  const position = concatenationOf(header) ?? segmentOf(tlvs)
  return position === undefined || position.total === 1 ? undefined : position
}

/** sar_msg_ref_num, sar_total_segments and sar_segment_seqnum, which belong together (§5.3.2.22 to 24). */
function segmentOf(tlvs: Tlvs): PartPosition | undefined {
  const reference = tlvNumber(tlvs, TLV.sarMsgRefNum, 2)
  const total = tlvNumber(tlvs, TLV.sarTotalSegments, 1)
  const sequence = tlvNumber(tlvs, TLV.sarSegmentSeqnum, 1)
  if (reference === undefined || total === undefined || sequence === undefined) return undefined
  if (sequence < 1 || sequence > total)
    throw new SmppError('ESME_RSUBMITFAIL', `sar_segment_seqnum ${sequence} is not between 1 and ${total}`)
  return { width: 0, reference, total, sequence }
}
