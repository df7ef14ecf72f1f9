import { addressFromText } from '@smsgw/sms/fields/address'
import { decodeCellBroadcastDataCodingScheme } from '@smsgw/sms/fields/cell-broadcast-data-coding-scheme'
import { hexFromOctets } from '@smsgw/sms/octets'
import type { Deliver } from '@smsgw/sms/tpdu/deliver'
import { decodeStatusReport } from '@smsgw/sms/tpdu/status-report'
import { decodeUssdString } from '@smsgw/sms/ussd'
import type { FaultControl } from '../faults/fault-control.ts'
import { messageHead, reportHead } from '../faults/storage.ts'
import { textForHost } from '../wire/character-set.ts'
import { decoded } from './pdu.ts'
import {
  alphaOf,
  dataOf,
  lengthOf,
  quotedNumber,
  quotedTimeStamp,
  type TextModeModem,
  typeOfAddress,
} from './text-mode.ts'

/** The two lines of `+CMT` (27.005 §3.4.1). `deliver` is undefined when the octets are not a DELIVER. */
export function showDeliver(modem: IndicationModem, pdu: Uint8Array, deliver: Deliver | undefined): string {
  if (modem.settings.messageFormat === 0 || deliver === undefined) {
    const alpha = deliver ? alphaOf(modem, deliver.originator) : modem.personality.messages.emptyAlpha
    return `${messageHead(modem.faults, alpha, tpduLength(pdu))}\r\n${hexFromOctets(pdu)}`
  }
  const { originator, serviceCentreTimeStamp, userData } = deliver
  const sender = [
    quotedNumber(modem, originator),
    alphaOf(modem, originator),
    quotedTimeStamp(serviceCentreTimeStamp),
    ...(modem.settings.showHeaders
      ? [typeOfAddress(originator), ...headerFields(modem, pdu, deliver), lengthOf(userData)]
      : []),
  ]
  return `+CMT: ${sender.join(',')}\r\n${dataOf(modem, userData)}`
}

/** `<fo>,<pid>,<dcs>,<sca>,<tosca>` */
export function headerFields(
  modem: IndicationModem,
  pdu: Uint8Array,
  message: { readonly protocolIdentifier: number; readonly dataCodingScheme: number },
): (string | number)[] {
  const firstOctet = pdu[1 + (pdu[0] ?? 0)] ?? 0
  return [firstOctet, message.protocolIdentifier, message.dataCodingScheme, ...serviceCentreFields(modem)]
}

/** `<sca>,<tosca>` */
export function serviceCentreFields(modem: IndicationModem): (string | number)[] {
  const centre = modem.sim?.serviceCentre ?? ''
  if (centre === '') return ['""', 129]
  const address = addressFromText(centre)
  return [quotedNumber(modem, address), typeOfAddress(address)]
}

/** `+CDS` */
export function showStatusReport(modem: IndicationModem, pdu: Uint8Array): string {
  const fields = modem.settings.messageFormat === 1 ? statusReportFields(modem, pdu) : undefined
  if (fields !== undefined) return `+CDS: ${fields}`
  return `${reportHead(modem.faults, tpduLength(pdu))}\r\n${hexFromOctets(pdu)}`
}

/** `<fo>,<mr>,[<ra>],[<tora>],<scts>,<dt>,<st>`; undefined when the octets are not a report. */
export function statusReportFields(modem: IndicationModem, pdu: Uint8Array): string | undefined {
  const start = 1 + (pdu[0] ?? 0)
  const report = decoded(() => decodeStatusReport(pdu, start))
  if (report === undefined) return undefined
  return [
    pdu[start] ?? 0,
    report.messageReference,
    quotedNumber(modem, report.recipient),
    typeOfAddress(report.recipient),
    quotedTimeStamp(report.serviceCentreTimeStamp),
    quotedTimeStamp(report.dischargeTime),
    report.status,
  ].join(',')
}

/** `+CBM` */
export function showBroadcast(modem: IndicationModem, page: Uint8Array): string {
  if (modem.settings.messageFormat === 0) return `+CBM: ${page.length}\r\n${hexFromOctets(page)}`
  const [serialHigh = 0, serialLow = 0, idHigh = 0, idLow = 0, coding = 0, position = 0] = page
  const head = [(serialHigh << 8) | serialLow, (idHigh << 8) | idLow, coding, position >> 4, position & 0xf].join(',')
  const content = page.subarray(6)
  const scheme = decodeCellBroadcastDataCodingScheme(coding)
  const text = scheme.alphabet === 'gsm7' ? decodeUssdString(content, coding)?.replace(/\r+$/, '') : undefined
  return `+CBM: ${head}\r\n${text === undefined ? hexFromOctets(content) : textForHost(text, modem.settings.characterSet)}`
}

/** `<length>` in PDU mode: the number of octets without the service centre address. */
export function tpduLength(pdu: Uint8Array): number {
  return Math.max(0, pdu.length - 1 - (pdu[0] ?? 0))
}

/** The parts of the modem that an indication needs. */
export interface IndicationModem extends TextModeModem {
  readonly faults: FaultControl
}
