import { type Address, addressFromText } from '@smsgw/sms/fields/address'
import type { InvalidTimeStamp, TimeStamp } from '@smsgw/sms/fields/time-stamp'
import { hexFromOctets } from '@smsgw/sms/octets'
import { PduEncodeError } from '@smsgw/sms/pdu-error'
import { segment } from '@smsgw/sms/segmentation/segment'
import { encodeForModem } from '@smsgw/sms/tpdu/tpdu'
import { childNumber, childText, type XmlElement } from './xml.ts'

/** A received message as the stick stores it: joined and decoded, without its PDUs. */
export interface StickMessage {
  /** The index in the stick. A later message may reuse the index of a deleted message. */
  readonly index: number
  readonly phone: string
  readonly content: string
  /** Local time without a zone: `2026-03-01 15:46:11`. */
  readonly date: string
  readonly type: number | undefined
}

/** Reads the reply to `sms/sms-list`. An entry without an index cannot be deleted and is left out. */
export function messagesIn(response: XmlElement): readonly StickMessage[] {
  const list = response.children.find(({ name }) => name === 'messages')
  return (list?.children ?? []).flatMap((entry) => {
    const index = childNumber(entry, 'Index')
    if (entry.name !== 'message' || index === undefined || index < 0 || index > largestIndex) return []
    return {
      index,
      phone: childText(entry, 'Phone')?.trim() ?? '',
      content: childText(entry, 'Content') ?? '',
      date: childText(entry, 'Date')?.trim() ?? '',
      type: childNumber(entry, 'SmsType'),
    }
  })
}

/**
 * Returns the PDUs in which the network may have delivered the message, so that the agent stores and joins the message
 * like every other message. The same message always has the same PDUs. Some messages, such as delivery reports, cannot
 * be represented by a PDU. The function returns the fields of such a message as hexadecimal digits, and the agent
 * stores them as an unreadable PDU.
 */
export function pdusOfStickMessage(
  message: StickMessage,
  zoneQuartersAt: (epochMs: number) => number,
): readonly string[] {
  const { phone, content } = message
  if (!reportTypes.has(message.type ?? 0)) {
    try {
      const { parts, dataCodingScheme } = segment(content, { reference: referenceOf(message), referenceWidth: 16 })
      const originator = originatorOf(phone)
      return parts.map((userData) => {
        const { octets } = encodeForModem({
          kind: 'deliver',
          moreMessagesToSend: false,
          loopPrevention: false,
          replyPath: false,
          statusReportIndication: false,
          originator,
          protocolIdentifier: 0,
          dataCodingScheme,
          serviceCentreTimeStamp: timeStampOf(message.date, zoneQuartersAt),
          userData,
        })
        return hexFromOctets(octets)
      })
    } catch (error) {
      if (!(error instanceof PduEncodeError)) throw error
    }
  }
  return [hexFromOctets(new Uint8Array([...unreadableMark, ...utf8(JSON.stringify(message))]))]
}

/** A sender such as `24/7` is a name, although `24/7` would not be accepted as a recipient. */
function originatorOf(phone: string): Address {
  const isName = /[\s()./-]/.test(phone)
  return isName ? { typeOfNumber: 'alphanumeric', numberingPlan: 0, value: phone } : addressFromText(phone)
}

/**
 * The stick does not show the reference of a long message, so this function makes one. The reference depends only on
 * the message, so a message that the network delivers again has the same PDUs at any index.
 */
function referenceOf({ phone, content, date }: StickMessage): number {
  let hash = 0
  for (const character of `${phone} ${date} ${content}`) {
    hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) | 0
  }
  return ((hash >>> 16) ^ hash) & 0xffff
}

function timeStampOf(date: string, zoneQuartersAt: (epochMs: number) => number): TimeStamp | InvalidTimeStamp {
  const parts = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2}):(\d{2})$/.exec(date)?.slice(1).map(Number)
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts ?? []
  const instant = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  const isPossible =
    year >= 1990 && year <= 2089 && instant.getUTCMonth() === month - 1 && instant.getUTCDate() === day && hour < 24
  if (!isPossible || minute > 59 || second > 59) return { invalid: true, raw: new Uint8Array(7) }
  return { year, month, day, hour, minute, second, zoneQuarters: zoneQuartersAt(instant.getTime()) }
}

function utf8(text: string): readonly number[] {
  return [...encodeURIComponent(text).matchAll(/%([0-9A-F]{2})|(.)/g)].map(([, hex, character]) =>
    hex === undefined ? (character ?? '').charCodeAt(0) : Number.parseInt(hex, 16),
  )
}

/** A delivery report, positive or negative. The report names no message, and the driver requests no reports. */
const reportTypes: ReadonlySet<number> = new Set([7, 8])
/** No service centre address has this length, so the octets can never be read as a PDU. */
const unreadableMark = [0xff]
const largestIndex = 1_000_000_000
