/** How to decode the user data, and how the phone treats the message. 23.038 §4 */
export interface DataCodingScheme {
  readonly octet: number
  readonly alphabet: Alphabet
  readonly compressed: boolean
  /** 0 flash, 1 phone memory, 2 SIM, 3 terminal equipment; undefined lets the phone decide. */
  readonly messageClass: MessageClass | undefined
  /** True if the phone deletes the message after it is read. */
  readonly automaticDeletion: boolean
  readonly messageWaiting: MessageWaiting | undefined
  /**
   * True for a coding that no release defines. The text is decoded in the default alphabet, as the standard requires.
   */
  readonly reserved: boolean
}

export type Alphabet = 'gsm7' | 'octets' | 'ucs2'
export type MessageClass = 0 | 1 | 2 | 3

export interface MessageWaiting {
  readonly indication: 'voicemail' | 'fax' | 'email' | 'other'
  readonly active: boolean
  /** False if the text may be discarded after the indication is shown. */
  readonly store: boolean
}

export function decodeDataCodingScheme(octet: number): DataCodingScheme {
  const group = octet >> 4
  // Checks groups of two bits first: the general group (00xx), and the general group with automatic deletion (01xx).
  if (group < 0b1000) return generalScheme(octet)
  if (group < 0b1100) return { ...plainScheme(octet), reserved: true }
  if (group < 0b1111) return messageWaitingScheme(octet)
  return {
    ...plainScheme(octet),
    alphabet: (octet & 0b100) === 0 ? 'gsm7' : 'octets',
    messageClass: classOf(octet),
  }
}

/** Uses the general group, because only this group has every alphabet with every class. */
export function encodeDataCodingScheme(options: {
  readonly alphabet: Alphabet
  readonly messageClass?: MessageClass | undefined
}): number {
  const alphabetBits = ALPHABETS.indexOf(options.alphabet) << 2
  return options.messageClass === undefined ? alphabetBits : 0x10 | alphabetBits | options.messageClass
}

/** The index is bits 3 and 2 of the general group; the fourth value is reserved. */
const ALPHABETS: readonly Alphabet[] = ['gsm7', 'octets', 'ucs2']

const INDICATIONS: readonly MessageWaiting['indication'][] = ['voicemail', 'fax', 'email', 'other']

function plainScheme(octet: number): DataCodingScheme {
  return {
    octet,
    alphabet: 'gsm7',
    compressed: false,
    messageClass: undefined,
    automaticDeletion: false,
    messageWaiting: undefined,
    reserved: false,
  }
}

function generalScheme(octet: number): DataCodingScheme {
  const alphabet = ALPHABETS[(octet >> 2) & 0b11]
  return {
    ...plainScheme(octet),
    alphabet: alphabet ?? 'gsm7',
    compressed: (octet & 0x20) !== 0,
    messageClass: (octet & 0x10) === 0 ? undefined : classOf(octet),
    automaticDeletion: (octet & 0x40) !== 0,
    reserved: alphabet === undefined,
  }
}

function messageWaitingScheme(octet: number): DataCodingScheme {
  return {
    ...plainScheme(octet),
    alphabet: octet >> 4 === 0b1110 ? 'ucs2' : 'gsm7',
    messageWaiting: {
      indication: INDICATIONS[octet & 0b11] ?? 'other',
      active: (octet & 0b1000) !== 0,
      store: octet >> 4 !== 0b1100,
    },
  }
}

function classOf(octet: number): MessageClass {
  return (octet & 0b11) as MessageClass
}
