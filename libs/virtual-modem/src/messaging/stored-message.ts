import { hexFromOctets } from '@smsgw/sms/octets'
import { decodeDeliver } from '@smsgw/sms/tpdu/deliver'
import { decodeSubmit } from '@smsgw/sms/tpdu/submit'
import { slotText } from '../faults/storage.ts'
import {
  headerFields,
  type IndicationModem,
  serviceCentreFields,
  statusReportFields,
  tpduLength,
} from './indication.ts'
import type { MemoryEntry } from './message-memory.ts'
import { decoded } from './pdu.ts'
import { alphaOf, dataOf, lengthOf, quotedNumber, quotedTimeStamp, typeOfAddress, validityOf } from './text-mode.ts'

/** 27.005 §3.1 `<stat>` in text mode; the position in the list is the number in PDU mode. */
export const stateNames = ['REC UNREAD', 'REC READ', 'STO UNSENT', 'STO SENT', 'ALL']

/** An entry of CMGL (with `index`) or the answer of CMGR: 27.005 §3.4.2, §3.4.3. */
export function showStored(
  modem: IndicationModem,
  command: '+CMGL' | '+CMGR',
  message: MemoryEntry,
  index?: number,
): string {
  const place = index === undefined ? '' : `${slotText(modem.faults, index)},`
  if (modem.settings.messageFormat === 0) {
    return `${command}: ${place}${message.state},${modem.personality.messages.emptyAlpha},${tpduLength(message.pdu)}\r\n${hexFromOctets(message.pdu)}`
  }
  const text = textOf(modem, message, index !== undefined)
  const head = `${command}: ${place}"${stateNames[message.state]}"`
  return text === undefined ? `${head},"",,\r\n${hexFromOctets(message.pdu)}` : `${head},${text}`
}

function textOf(modem: IndicationModem, message: MemoryEntry, listed: boolean): string | undefined {
  switch (message.kind) {
    case 'deliver':
      return deliverText(modem, message.pdu, listed)
    case 'submit':
      return submitText(modem, message.pdu, listed)
    case 'status-report':
      return statusReportFields(modem, message.pdu)
    case 'command':
    case 'broadcast':
      return undefined
  }
}

function deliverText(modem: IndicationModem, pdu: Uint8Array, listed: boolean): string | undefined {
  const deliver = decoded(() => decodeDeliver(pdu, 1 + (pdu[0] ?? 0)))
  if (deliver === undefined) return undefined
  const { originator, userData } = deliver
  const type = typeOfAddress(originator)
  const details = listed ? [type, lengthOf(userData)] : [type, ...headerFields(modem, pdu, deliver), lengthOf(userData)]
  const fields = [
    quotedNumber(modem, originator),
    alphaOf(modem, originator),
    quotedTimeStamp(deliver.serviceCentreTimeStamp),
    ...(modem.settings.showHeaders ? details : []),
  ]
  return `${fields.join(',')}\r\n${dataOf(modem, userData)}`
}

function submitText(modem: IndicationModem, pdu: Uint8Array, listed: boolean): string | undefined {
  const start = 1 + (pdu[0] ?? 0)
  const submit = decoded(() => decodeSubmit(pdu, start))
  if (submit === undefined) return undefined
  const { destination, userData } = submit
  const type = typeOfAddress(destination)
  const header = [pdu[start] ?? 0, submit.protocolIdentifier, submit.dataCodingScheme, validityOf(submit)]
  const details = listed
    ? [type, lengthOf(userData)]
    : [type, ...header, ...serviceCentreFields(modem), lengthOf(userData)]
  const fields = [
    quotedNumber(modem, destination),
    alphaOf(modem, destination),
    ...(listed ? [''] : []),
    ...(modem.settings.showHeaders ? details : []),
  ]
  return `${fields.join(',')}\r\n${dataOf(modem, userData)}`
}
