import { type Address, addressFromText } from '@smsgw/sms/fields/address'
import { decodeDataCodingScheme } from '@smsgw/sms/fields/data-coding-scheme'
import { timeStampFromEpochMs } from '@smsgw/sms/fields/time-stamp'
import type { UserData } from '@smsgw/sms/fields/user-data'
import { decodeUserDataHeader } from '@smsgw/sms/fields/user-data-header'
import { relativeFromSeconds, type ValidityPeriod } from '@smsgw/sms/fields/validity-period'
import { octetsFromHex } from '@smsgw/sms/octets'
import { PduEncodeError } from '@smsgw/sms/pdu-error'
import { septetsFromText } from '@smsgw/sms/text/gsm7-alphabet'
import type { Submit } from '@smsgw/sms/tpdu/submit'
import type { EquipmentSettings } from '../equipment/settings.ts'
import { textFromHost } from '../wire/character-set.ts'

/** Builds a SUBMIT in text mode (27.005 §3.2.4, §3.5.1). Throws PduEncodeError or PduDecodeError. */
export function submitOfText(modem: TextSubmitModem, destination: Address, data: string): Submit {
  const { firstOctet, protocolIdentifier, dataCodingScheme } = modem.settings.csmp
  return {
    kind: 'submit',
    rejectDuplicates: (firstOctet & 0x04) !== 0,
    replyPath: (firstOctet & 0x80) !== 0,
    statusReportRequest: (firstOctet & 0x20) !== 0,
    messageReference: 0,
    destination,
    protocolIdentifier,
    dataCodingScheme,
    validityPeriod: validityPeriodOf(modem),
    userData: userDataOf(modem, data),
  }
}

/** Parses `<da>` and `<toda>`. */
export function addressFromHost(modem: TextSubmitModem, given: string, type: number | undefined): Address {
  const { characterSet } = modem.settings
  const inHex = characterSet === 'UCS2' && /^(00[0-9A-F]{2})+$/i.test(given)
  const text = (inHex ? textFromHost(given, 'UCS2') : given) ?? given
  const address = addressFromText(type === 145 && !text.startsWith('+') ? `+${text}` : text)
  if (address.typeOfNumber === 'alphanumeric') throw new PduEncodeError('TP-DA', `${text} is not a phone number`)
  return address
}

function userDataOf(modem: TextSubmitModem, data: string): UserData {
  const { firstOctet, dataCodingScheme } = modem.settings.csmp
  const { alphabet } = decodeDataCodingScheme(dataCodingScheme)
  const hasHeader = (firstOctet & 0x40) !== 0
  if (alphabet === 'gsm7' && !hasHeader) {
    const text = textFromHost(data, modem.settings.characterSet)
    const septets = text === undefined ? undefined : septetsFromText(text)
    if (septets === undefined) throw new PduEncodeError('TP-UD', 'has characters that GSM 7 bit cannot write')
    return { alphabet, header: undefined, units: septets }
  }
  const octets = octetsFromHex(data.replace(/\s/g, ''))
  if (!hasHeader) return { alphabet, header: undefined, units: octets }
  const header = decodeUserDataHeader(octets)
  return { alphabet, header, units: octets.slice(header.raw.length) }
}

function validityPeriodOf(modem: TextSubmitModem): ValidityPeriod | undefined {
  const { firstOctet, validityPeriod } = modem.settings.csmp
  const format = (firstOctet >> 3) & 0b11
  if (format === 0b10 && /^\d+$/.test(validityPeriod)) return { format: 'relative', value: Number(validityPeriod) }
  if (format === 0b11) {
    // Uses one day, because modems read absolute and enhanced periods in different ways.
    return { format: 'absolute', at: timeStampFromEpochMs(modem.epochMs + dayMs, modem.network.zoneQuarters) }
  }
  return format === 0b01 ? relativeFromSeconds(dayMs / 1000) : undefined
}

const dayMs = 24 * 3600 * 1000

/** The parts of the modem that a text mode submission needs. */
export interface TextSubmitModem {
  readonly settings: EquipmentSettings
  readonly epochMs: number
  readonly network: { readonly zoneQuarters: number }
}
