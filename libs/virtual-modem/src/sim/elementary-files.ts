import { addressFromText, encodeServiceCentreAddress } from '@smsgw/sms/fields/address'
import { octetsFromHex } from '@smsgw/sms/octets'
import { septetsFromText } from '@smsgw/sms/text/gsm7-alphabet'
import { decoded } from '../messaging/pdu.ts'
import type { Sim } from './sim.ts'

/** A file of the card (51.011 §10, 31.102 §4), built when it is read. */
export interface ElementaryFile {
  readonly records: readonly Uint8Array[]
  /** Records of equal length; a transparent file has a single record. */
  readonly linear: boolean
}

export function elementaryFile(sim: Sim, identifier: number): ElementaryFile | undefined {
  const read = files.get(identifier)
  return read === undefined ? undefined : read(sim)
}

const files: ReadonlyMap<number, (sim: Sim) => ElementaryFile> = new Map<number, (sim: Sim) => ElementaryFile>([
  [0x2fe2, ({ iccid }) => transparent(digits(iccid, 10))],
  [0x6f05, () => transparent(Uint8Array.of(0x00, 0x01))],
  [0x6f07, ({ imsi }) => transparent(imsiOctets(imsi))],
  [0x6f14, ({ serviceProviderName }) => transparent(name(serviceProviderName, 20))],
  [0x6f38, () => transparent(octetsFromHex('FF3FFFFF3F003F0F300C000000000000'))],
  [0x6f3a, ({ phonebook }) => linear(contacts(phonebook.capacity, (index) => phonebook.at(index)))],
  [0x6f3c, ({ messages }) => linear(storedMessages(messages.capacity, (slot) => messages.at(slot)))],
  [0x6f40, ({ ownNumbers }) => linear(contacts(ownNumbers.capacity, (index) => ownNumbers.at(index)))],
  [0x6f42, ({ serviceCentre }) => linear([messageParameters(serviceCentre)])],
  [0x6f43, (sim) => transparent(Uint8Array.of(sim.lastMessageReference, sim.memoryExceeded ? 0xfe : 0xff))],
  [0x6f45, () => transparent(new Uint8Array(20).fill(0xff))],
  [0x6f46, ({ serviceProviderName }) => transparent(Uint8Array.of(0x00, ...name(serviceProviderName, 16)))],
  [0x6f7b, () => transparent(new Uint8Array(12).fill(0xff))],
  [0x6f7e, () => transparent(octetsFromHex('FFFFFFFF00F110FFFEFF01'))],
  [0x6fad, () => transparent(Uint8Array.of(0, 0, 0, 2))],
  [0x6fb7, () => transparent(octetsFromHex('11F211F219F1'))],
])

function transparent(octets: Uint8Array): ElementaryFile {
  return { records: [octets], linear: false }
}

function linear(records: readonly Uint8Array[]): ElementaryFile {
  return { records, linear: true }
}

/** Encodes two digits per octet, the first digit in the low nibble. */
function digits(text: string, octets: number): Uint8Array {
  const padded = text.padEnd(octets * 2, 'F')
  return octetsFromHex(Array.from({ length: octets }, (_, at) => `${padded[2 * at + 1]}${padded[2 * at]}`).join(''))
}

/** 51.011 §10.3.2: the first nibble shows whether the number of digits is odd. */
function imsiOctets(imsi: string): Uint8Array {
  const odd = imsi.length % 2 === 1
  return Uint8Array.of(8, ...digits(`${odd ? '9' : '1'}${imsi}`, 8))
}

function name(text: string, octets: number): Uint8Array {
  const field = new Uint8Array(octets).fill(0xff)
  field.set((septetsFromText(text) ?? new Uint8Array(0)).subarray(0, octets))
  return field
}

const contactOctets = 28

/** 51.011 §10.5.1: name, length and type of number, ten octets of digits, two references. */
function contacts(
  capacity: number,
  at: (index: number) => { readonly name: string; readonly number: string } | undefined,
): Uint8Array[] {
  return Array.from({ length: capacity }, (_, slot) => {
    const record = new Uint8Array(contactOctets).fill(0xff)
    const contact = at(slot + 1)
    if (contact === undefined) return record
    const plain = contact.number.replace('+', '').replace(/[^0-9]/g, '')
    record.set(name(contact.name, 14))
    record.set(Uint8Array.of(1 + Math.ceil(plain.length / 2), contact.number.startsWith('+') ? 0x91 : 0x81), 14)
    record.set(digits(plain.slice(0, 20), 10), 16)
    return record
  })
}

const messageOctets = 176

function storedMessages(
  capacity: number,
  at: (slot: number) => { readonly state: number; readonly pdu: Uint8Array } | undefined,
): Uint8Array[] {
  return Array.from({ length: capacity }, (_, slot) => {
    const record = new Uint8Array(messageOctets).fill(0xff)
    const message = at(slot)
    record[0] = message === undefined ? 0 : (statusOctets[message.state] ?? 0)
    if (message) record.set(message.pdu.subarray(0, messageOctets - 1), 1)
    return record
  })
}

/** 51.011 §10.5.3, for the four states of a message: received and unread; received and read; not yet sent; sent. */
const statusOctets = [3, 1, 7, 5]

/**
 * 51.011 §10.5.6: a name, an octet that shows which parameters are present, and the parameters: destination, service
 * centre, PID, DCS, validity.
 */
function messageParameters(serviceCentre: string): Uint8Array {
  const record = new Uint8Array(44).fill(0xff)
  const centre = decoded(() => encodeServiceCentreAddress(addressFromText(serviceCentre)))
  const start = 16
  record[start] = centre ? 0xe5 : 0xff
  if (centre) record.set(centre, start + 13)
  record.set(Uint8Array.of(0x00, 0x00, 0xa7), start + 25)
  return record
}
