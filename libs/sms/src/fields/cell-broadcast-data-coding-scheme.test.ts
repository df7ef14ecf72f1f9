import { describe, expect, it } from 'vitest'
import { decodeCellBroadcastDataCodingScheme as decode } from './cell-broadcast-data-coding-scheme.ts'

const from = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at)

// 23.038 §5
describe('the data coding scheme of cell broadcast', () => {
  it('names the languages of group 0000', () => {
    const languages = [
      'de',
      'en',
      'it',
      'fr',
      'es',
      'nl',
      'sv',
      'da',
      'pt',
      'fi',
      'no',
      'el',
      'tr',
      'hu',
      'pl',
      undefined,
    ]
    expect(from(0x00, 0x0f).map((octet) => decode(octet).language)).toEqual(languages)
    expect(from(0x00, 0x0f).every((octet) => decode(octet).group === 'language')).toBe(true)
  })

  it('names the languages of group 0010', () => {
    expect(from(0x20, 0x24).map((octet) => decode(octet).language)).toEqual(['cs', 'he', 'ar', 'ru', 'is'])
  })

  it('marks group 0001 as text preceded by its language', () => {
    expect(decode(0x10)).toMatchObject({ group: 'language-preceded', alphabet: 'gsm7', language: undefined })
    expect(decode(0x11)).toMatchObject({ group: 'language-preceded', alphabet: 'ucs2', language: undefined })
  })

  it.each([
    [0x40, 'gsm7', false, undefined],
    [0x44, 'octets', false, undefined],
    [0x48, 'ucs2', false, undefined],
    [0x4c, 'gsm7', false, undefined],
    [0x50, 'gsm7', false, 0],
    [0x59, 'ucs2', false, 1],
    [0x56, 'octets', false, 2],
    [0x60, 'gsm7', true, undefined],
    [0x7b, 'ucs2', true, 3],
  ])('reads octet %d of the general group', (octet, alphabet, compressed, messageClass) => {
    expect(decode(octet)).toEqual({
      octet,
      group: 'general',
      alphabet,
      language: undefined,
      compressed,
      messageClass,
    })
  })

  it.each([
    [0x90, 'gsm7', 0],
    [0x95, 'octets', 1],
    [0x9a, 'ucs2', 2],
  ])('reads octet %d as a message with a user data header', (octet, alphabet, messageClass) => {
    expect(decode(octet)).toMatchObject({ group: 'user-data-header', alphabet, messageClass, compressed: false })
  })

  it.each([
    [0xf0, 'gsm7', undefined],
    [0xf1, 'gsm7', 1],
    [0xf4, 'octets', undefined],
    [0xf7, 'octets', 3],
  ])('reads octet %d as data coding and class, where 00 means no class', (octet, alphabet, messageClass) => {
    expect(decode(octet)).toMatchObject({ group: 'data-coding', alphabet, messageClass })
  })

  it('does not decode the octets of other standards', () => {
    expect(from(0xd0, 0xdf).every((octet) => decode(octet).group === 'i1-protocol')).toBe(true)
    expect(from(0xe0, 0xef).every((octet) => decode(octet).group === 'wap')).toBe(true)
    expect(from(0xd0, 0xef).every((octet) => decode(octet).alphabet === 'octets')).toBe(true)
  })

  it('decodes reserved values as the GSM 7 bit default alphabet', () => {
    const reserved = [...from(0x12, 0x1f), ...from(0x25, 0x3f), ...from(0x80, 0x8f), ...from(0xa0, 0xcf)]
    for (const octet of reserved) expect(decode(octet)).toMatchObject({ group: 'reserved', alphabet: 'gsm7' })
    expect(from(0, 255).filter((octet) => decode(octet).group === 'reserved')).toEqual(reserved)
  })
})
