import { type Address, encodeAddress, textFromAddress } from '@smsgw/sms/address'
import { hexFromOctets, joinOctets } from '@smsgw/sms/octets'
import type { Submit } from '@smsgw/sms/submit'
import { type InvalidTimeStamp, isValidTimeStamp, type TimeStamp } from '@smsgw/sms/time-stamp'
import { textOfUserData, type UserData } from '@smsgw/sms/user-data'
import { textForHost } from './character-set.ts'
import type { MobileEquipment } from './mobile-equipment.ts'

/** How text mode writes the fields of a message (27.005 §3.1, §4.1). */

/** `"+447700900123"`; in hexadecimal under CSCS "UCS2" where the family does so. */
export function quotedNumber(modem: MobileEquipment, address: Address): string {
  const { characterSet } = modem.settings
  const number = textFromAddress(address)
  const isName = address.typeOfNumber === 'alphanumeric'
  const inSet = isName || (characterSet === 'UCS2' && modem.personality.numbersInCharacterSet)
  return `"${inSet ? textForHost(number, characterSet) : number}"`
}

/** The name the phonebook has for the number, or what the family writes for none. */
export function alphaOf(modem: MobileEquipment, address: Address): string {
  const name = modem.sim?.phonebook.nameOf(textFromAddress(address))
  return name === undefined
    ? modem.personality.messages.emptyAlpha
    : `"${textForHost(name, modem.settings.characterSet)}"`
}

export function typeOfAddress(address: Address): number {
  return encodeAddress(address)[1] ?? 129
}

/** `"26/03/01,15:46:11+28"`; what is no time is shown as its digits. */
export function quotedTimeStamp(stamp: TimeStamp | InvalidTimeStamp): string {
  if (!isValidTimeStamp(stamp)) return `"${hexFromOctets(stamp.raw)}"`
  const date = [stamp.year % 100, stamp.month, stamp.day].map(twoDigits).join('/')
  const time = [stamp.hour, stamp.minute, stamp.second].map(twoDigits).join(':')
  const sign = stamp.zoneQuarters < 0 ? '-' : '+'
  return `"${date},${time}${sign}${twoDigits(Math.abs(stamp.zoneQuarters))}"`
}

/** `<data>`: text in the host's character set; in hexadecimal when it has a header or is no GSM text. */
export function dataOf(modem: MobileEquipment, userData: UserData): string {
  const text = userData.alphabet === 'gsm7' && userData.header === undefined ? textOfUserData(userData) : undefined
  if (text !== undefined) return textForHost(text, modem.settings.characterSet)
  return hexFromOctets(joinOctets([userData.header?.raw ?? new Uint8Array(0), userData.units]))
}

/** The length in `<length>`: characters of text, octets of everything else. */
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
