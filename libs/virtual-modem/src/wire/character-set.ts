import { hexFromOctets, octetsFromHex } from '@smsgw/sms/octets'
import { septetsFromText, septetsOfCharacter, textFromSeptets } from '@smsgw/sms/text/gsm7-alphabet'
import { textFromUcs2, ucs2FromText } from '@smsgw/sms/text/ucs2'
import { decoded } from '../messaging/pdu.ts'

/** Encodes text for the host in the CSCS character set (27.007 §5.5). Each character of the result is one byte. */
export function textForHost(text: string, characterSet: string): string {
  switch (characterSet) {
    case 'UCS2':
      return hexFromOctets(ucs2FromText(text))
    case 'HEX':
      return hexFromOctets(gsmSeptets(text))
    case 'GSM':
      return String.fromCharCode(...gsmSeptets(text))
    case 'UTF-8':
      return utf8(text)
    default:
      return limited(text, characterSet === 'IRA' ? 0x7f : 0xff)
  }
}

/** Decodes text from the host; returns undefined if the bytes are not valid in the character set. */
export function textFromHost(bytes: string, characterSet: string): string | undefined {
  switch (characterSet) {
    case 'UCS2':
      return hexText(bytes, textFromUcs2)
    case 'HEX':
      return hexText(bytes, textFromSeptets)
    case 'GSM':
      return textFromSeptets(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
    case 'UTF-8':
      return fromUtf8(bytes)
    default:
      return bytes
  }
}

function hexText(hex: string, read: (octets: Uint8Array) => string): string | undefined {
  return decoded(() => read(octetsFromHex(hex)))
}

const questionMark = 0x3f

function gsmSeptets(text: string): Uint8Array {
  const whole = septetsFromText(text)
  return whole ?? Uint8Array.from([...text].flatMap((char) => septetsOfCharacter(char) ?? [questionMark]))
}

function limited(text: string, highest: number): string {
  return [...text].map((char) => ((char.codePointAt(0) ?? 0) <= highest ? char : '?')).join('')
}

function utf8(text: string): string {
  return encodeURIComponent(textFromUcs2(ucs2FromText(text))).replace(/%([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

function fromUtf8(bytes: string): string | undefined {
  try {
    return decodeURIComponent([...bytes].map((byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`).join(''))
  } catch (failure) {
    if (failure instanceof URIError) return undefined
    throw failure
  }
}
