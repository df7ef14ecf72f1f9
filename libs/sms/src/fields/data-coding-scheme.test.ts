import { describe, expect, test } from 'vitest'
import { type DataCodingScheme, decodeDataCodingScheme, encodeDataCodingScheme } from './data-coding-scheme.ts'

const plain: Omit<DataCodingScheme, 'octet'> = {
  alphabet: 'gsm7',
  compressed: false,
  messageClass: undefined,
  automaticDeletion: false,
  messageWaiting: undefined,
  reserved: false,
}

const voicemail = { indication: 'voicemail', active: true, store: true } as const

describe('a data coding scheme', () => {
  test.each<[number, string, Partial<DataCodingScheme>]>([
    [0x00, 'default alphabet', {}],
    [0x03, 'class bits that mean nothing', {}],
    [0x04, 'octets', { alphabet: 'octets' }],
    [0x08, 'UCS2', { alphabet: 'ucs2' }],
    [0x0c, 'reserved alphabet', { reserved: true }],
    [0x10, 'flash', { messageClass: 0 }],
    [0x15, 'octets for the phone', { alphabet: 'octets', messageClass: 1 }],
    [0x18, 'flash in UCS2', { alphabet: 'ucs2', messageClass: 0 }],
    [0x1e, 'reserved alphabet for the SIM', { messageClass: 2, reserved: true }],
    [0x20, 'compressed', { compressed: true }],
    [0x39, 'compressed UCS2 for the phone', { alphabet: 'ucs2', compressed: true, messageClass: 1 }],
    [0x40, 'automatic deletion', { automaticDeletion: true }],
    [
      0x5b,
      'automatic deletion of UCS2 for the terminal',
      { automaticDeletion: true, alphabet: 'ucs2', messageClass: 3 },
    ],
    [0x7f, 'everything set', { automaticDeletion: true, compressed: true, messageClass: 3, reserved: true }],
    [0x80, 'first reserved group', { reserved: true }],
    [0xbf, 'last reserved group', { reserved: true }],
    [0xc0, 'voicemail gone, discard', { messageWaiting: { indication: 'voicemail', active: false, store: false } }],
    [0xc9, 'fax waiting, discard', { messageWaiting: { indication: 'fax', active: true, store: false } }],
    [0xd8, 'voicemail waiting, store', { messageWaiting: voicemail }],
    [0xdc, 'the same with the reserved bit set', { messageWaiting: voicemail }],
    [0xd2, 'email gone, store', { messageWaiting: { indication: 'email', active: false, store: true } }],
    [0xe8, 'voicemail waiting, store, UCS2', { alphabet: 'ucs2', messageWaiting: voicemail }],
    [
      0xe3,
      'other gone, UCS2',
      { alphabet: 'ucs2', messageWaiting: { indication: 'other', active: false, store: true } },
    ],
    [0xf0, 'flash in the last group', { messageClass: 0 }],
    [0xf2, 'for the SIM', { messageClass: 2 }],
    [0xf5, 'octets for the phone in the last group', { alphabet: 'octets', messageClass: 1 }],
    [0xfe, 'the same group with the reserved bit set', { alphabet: 'octets', messageClass: 2 }],
  ])('a data coding scheme of %i is %s', (octet, _what, members) => {
    expect(decodeDataCodingScheme(octet)).toEqual({ octet, ...plain, ...members })
  })

  test.each([
    ['gsm7', undefined, 0x00],
    ['octets', undefined, 0x04],
    ['ucs2', undefined, 0x08],
    ['gsm7', 0, 0x10],
    ['octets', 1, 0x15],
    ['ucs2', 3, 0x1b],
  ] as const)(
    'a data coding scheme for %s of class %s is encoded as %i and decoded unchanged',
    (alphabet, messageClass, octet) => {
      expect(encodeDataCodingScheme({ alphabet, messageClass })).toBe(octet)
      expect(decodeDataCodingScheme(octet)).toMatchObject({ alphabet, messageClass })
    },
  )
})
