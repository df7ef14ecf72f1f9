import { type Address, encodeAddress, textFromAddress } from '@smsgw/sms/fields/address'
import { type InvalidTimeStamp, isValidTimeStamp, type TimeStamp } from '@smsgw/sms/fields/time-stamp'
import { textOfUserData, type UserData } from '@smsgw/sms/fields/user-data'
import { hexFromOctets, joinOctets } from '@smsgw/sms/octets'
import type { Submit } from '@smsgw/sms/tpdu/submit'
import type { MessageTraits } from '../equipment/personality-traits.ts'
import type { EquipmentSettings } from '../equipment/settings.ts'
import type { Sim } from '../sim/sim.ts'
import { textForHost } from '../wire/character-set.ts'

// The fields of a message in text mode (27.005 §3.1, §4.1).

/** Returns a number such as `"+447700900123"`; in hexadecimal under CSCS "UCS2" for families that do this. */
export function quotedNumber(modem: TextModeModem, address: Address): string {
  const { characterSet } = modem.settings
  const number = textFromAddress(address)
  const isName = address.typeOfNumber === 'alphanumeric'
  const inSet = isName || (characterSet === 'UCS2' && modem.personality.numbersInCharacterSet)
  return `"${inSet ? textForHost(number, characterSet) : number}"`
}

/** The phonebook name of the number. If the number has no name, the text that the family writes in this case. */
export function alphaOf(modem: TextModeModem, address: Address): string {
  const name = modem.sim?.phonebook.nameOf(textFromAddress(address))
  return name === undefined
    ? modem.personality.messages.emptyAlpha
    : `"${textForHost(name, modem.settings.characterSet)}"`
}

export function typeOfAddress(address: Address): number {
  return encodeAddress(address)[1] ?? 129
}

/** `"26/03/01,15:46:11+28"`; an invalid time stamp is written as its digits. */
export function quotedTimeStamp(stamp: TimeStamp | InvalidTimeStamp): string {
  if (!isValidTimeStamp(stamp)) return `"${hexFromOctets(stamp.raw)}"`
  const date = [stamp.year % 100, stamp.month, stamp.day].map(twoDigits).join('/')
  const time = [stamp.hour, stamp.minute, stamp.second].map(twoDigits).join(':')
  const sign = stamp.zoneQuarters < 0 ? '-' : '+'
  return `"${date},${time}${sign}${twoDigits(Math.abs(stamp.zoneQuarters))}"`
}

/** `<data>`: text in the character set of the host. In hexadecimal if the message has a header or is not GSM text. */
export function dataOf(modem: TextModeModem, userData: UserData): string {
  const text = userData.alphabet === 'gsm7' && userData.header === undefined ? textOfUserData(userData) : undefined
  if (text !== undefined) return textForHost(text, modem.settings.characterSet)
  return hexFromOctets(joinOctets([userData.header?.raw ?? new Uint8Array(0), userData.units]))
}

/** `<length>`: the number of characters of a text, or of octets of other data. */
export function lengthOf(userData: UserData): number {
  return (userData.alphabet === 'gsm7' ? 0 : (userData.header?.raw.length ?? 0)) + userData.units.length
}

export function validityOf({ validityPeriod }: Submit): string {
  if (validityPeriod?.format === 'relative') return `${validityPeriod.value}`
  if (validityPeriod?.format === 'absolute') return quotedTimeStamp(validityPeriod.at)
  return ''
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

/** The parts of the modem that text mode needs. */
export interface TextModeModem {
  readonly settings: EquipmentSettings
  readonly sim: Sim | undefined
  readonly personality: { readonly messages: MessageTraits; readonly numbersInCharacterSet: boolean }
}
