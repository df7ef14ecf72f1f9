import { describe, expect, test } from 'vitest'
import { addressFromText } from '../fields/address.ts'
import { encodeDataCodingScheme } from '../fields/data-coding-scheme.ts'
import { textOfUserData, type UserData } from '../fields/user-data.ts'
import {
  concatenationElement,
  type InformationElement,
  lockingShiftElement,
  portsElement,
  portsOf,
  singleShiftElement,
  userDataHeaderOf,
} from '../fields/user-data-header.ts'
import { septetsFromText } from '../text/gsm7-alphabet.ts'
import { ucs2FromText } from '../text/ucs2.ts'
import { heldPartOf } from './held-part.ts'
import { joinParts } from './join-parts.ts'

interface Written {
  readonly sequence: number
  readonly alphabet: UserData['alphabet']
  readonly units: Uint8Array
  readonly elements?: readonly InformationElement[]
  readonly compressed?: boolean
  readonly truncated?: boolean
}

function joined(total: number, written: readonly Written[]) {
  const parts = written.map(({ sequence, alphabet, units, elements = [], compressed = false, truncated = false }) => {
    const concatenation = { width: 8, reference: 7, total, sequence } as const
    const header = userDataHeaderOf([concatenationElement(concatenation), ...elements])
    return heldPartOf({
      partId: `p${sequence}`,
      sim: 'sim',
      sender: addressFromText('+447700900123'),
      concatenation,
      userData: { alphabet, header, units, ...(compressed ? { compressed } : {}), ...(truncated ? { truncated } : {}) },
      dataCodingScheme: encodeDataCodingScheme({ alphabet }),
      protocolIdentifier: 0,
      serviceCentreTimeStamp: { year: 2026, month: 3, day: 1, hour: 12, minute: 0, second: 0, zoneQuarters: 0 },
      atMs: 0,
    })
  })
  return joinParts(parts, total)
}

const gsm7 = (sequence: number, units: Uint8Array | number[], elements: readonly InformationElement[] = []) =>
  ({ sequence, alphabet: 'gsm7', units: Uint8Array.from(units), elements }) as const
const text = (sequence: number, written: string, elements: readonly InformationElement[] = []) =>
  gsm7(sequence, septetsFromText(written)!, elements)
const ucs2 = (sequence: number, units: Uint8Array) => ({ sequence, alphabet: 'ucs2', units }) as const

describe('joins parts before decoding', () => {
  test('joins parts before decoding: a surrogate pair that the sender split', () => {
    const octets = ucs2FromText('я😀я')
    expect(joined(2, [ucs2(1, octets.slice(0, 4)), ucs2(2, octets.slice(4))]).text).toBe('я😀я')
  })

  test('joins parts before decoding: a UTF-16 unit split between its octets', () => {
    const octets = ucs2FromText('привет')
    expect(joined(2, [ucs2(1, octets.slice(0, 5)), ucs2(2, octets.slice(5))]).text).toBe('привет')
  })

  test('joins parts before decoding: a split escape pair', () => {
    const septets = septetsFromText('a€b')!
    expect(joined(2, [gsm7(1, septets.slice(0, 2)), gsm7(2, septets.slice(2))]).text).toBe('a€b')
  })
})

describe('national tables', () => {
  test('national tables of the first part are used for parts without tables', () => {
    const septets = septetsFromText('şğış', { locking: 1 })!
    const { text: read } = joined(2, [
      gsm7(1, septets.slice(0, 2), [lockingShiftElement(1)]),
      gsm7(2, septets.slice(2)),
    ])
    expect(read).toBe('şğış')
  })

  test('national tables of a later part are used for all parts, including split pairs', () => {
    const septets = septetsFromText('aşa', { single: 1 })!
    const { text: read } = joined(2, [gsm7(1, septets.slice(0, 2)), gsm7(2, septets.slice(2), [singleShiftElement(1)])])
    expect(read).toBe('aşa')
  })

  test('national tables named by a part are used for that part', () => {
    const turkish = gsm7(1, septetsFromText('ş', { locking: 1 })!, [lockingShiftElement(1)])
    const portuguese = gsm7(2, septetsFromText('ã', { locking: 3 })!, [lockingShiftElement(3)])
    expect(joined(2, [turkish, portuguese]).text).toBe('şã')
    const escaped = gsm7(1, septetsFromText('ş', { single: 1 })!, [singleShiftElement(1)])
    const spanish = gsm7(2, septetsFromText('á', { single: 2 })!, [singleShiftElement(2)])
    expect(joined(2, [escaped, spanish]).text).toBe('şá')
  })
})

describe('parts in different alphabets', () => {
  test('parts in different alphabets are each decoded in their own alphabet, in order', () => {
    const { text: read, userData } = joined(3, [text(1, 'one '), ucs2(2, ucs2FromText('два ')), text(3, 'three')])
    expect(read).toBe('one два three')
    expect(userData.map(({ alphabet }) => alphabet)).toEqual(['gsm7', 'ucs2', 'gsm7'])
  })

  test('parts in different alphabets that are not text leave a … in the text and keep their octets', () => {
    const data = { sequence: 2, alphabet: 'octets', units: Uint8Array.of(1, 2) } as const
    const { text: read, userData } = joined(2, [text(1, 'one'), data])
    expect(read).toBe('one…')
    expect(userData[1]?.units).toEqual(Uint8Array.of(1, 2))
  })
})

describe('a joined message has the form of a single part', () => {
  const ports = { width: 16, destination: 2948, source: 9200 } as const

  test('a joined message has all octets, and the ports of one part', () => {
    const named = {
      sequence: 1,
      alphabet: 'octets',
      units: Uint8Array.of(1, 2),
      elements: [portsElement(ports)],
    } as const
    const {
      userData,
      text: read,
      ...rest
    } = joined(2, [named, { sequence: 2, alphabet: 'octets', units: Uint8Array.of(3) }])
    expect(read).toBeUndefined()
    expect(rest.ports).toEqual(ports)
    expect(userData).toEqual([
      { alphabet: 'octets', header: userDataHeaderOf([portsElement(ports)]), units: Uint8Array.of(1, 2, 3) },
    ])
    expect(portsOf(userData[0]?.header)).toEqual(ports)
  })

  test('the header of a joined message has each element of the parts once, without the numbering', () => {
    const voicemail = { identifier: 0x01, data: Uint8Array.of(0x80, 2) }
    const { userData } = joined(2, [text(1, 'a', [voicemail]), text(2, 'b', [voicemail])])
    expect(userData[0]?.header?.elements).toEqual([voicemail])
    expect(joined(2, [text(1, 'a'), text(2, 'b')]).userData[0]?.header).toBeUndefined()
    const many = Array.from({ length: 100 }, (_, i) => text(i + 1, 'a', [i < 99 ? voicemail : portsElement(ports)]))
    expect(joined(100, many).userData[0]?.header?.elements).toEqual([voicemail, portsElement(ports)])
  })

  test('the header of a joined message names its national tables', () => {
    const septets = septetsFromText('şğış', { locking: 1 })!
    const { userData } = joined(2, [gsm7(1, septets.slice(0, 2), [lockingShiftElement(1)]), gsm7(2, septets.slice(2))])
    expect(userData.map(textOfUserData)).toEqual(['şğış'])
  })

  test('the header of a joined message is limited even for forged parts full of elements', () => {
    const flood = Array.from({ length: 255 }, (_, i) =>
      text(i + 1, 'a', [{ identifier: 0xc0, data: Uint8Array.from({ length: 120 }, () => i) }]),
    )
    expect(joined(255, flood).text).toBe('a'.repeat(255))
  })

  test('keeps compressed parts undecoded', () => {
    const packed = { sequence: 1, alphabet: 'gsm7', units: Uint8Array.of(0xff), compressed: true } as const
    expect(joined(1, [packed])).toMatchObject({ text: undefined, userData: [{ compressed: true }] })
  })

  test('separates compressed parts from others', () => {
    const packed = { ...text(2, 'b'), compressed: true } as const
    const { text: read, userData } = joined(3, [text(1, 'a'), packed, text(3, 'c')])
    expect(read).toBe('a…c')
    expect(userData.map(({ compressed }) => compressed ?? false)).toEqual([false, true, false])
  })
})

describe('a part that lost its last octet', () => {
  test('a part that lost its last octet marks the message and its run as truncated, and is joined like any other part', () => {
    const {
      text: read,
      truncated,
      userData,
    } = joined(3, [text(1, 'one '), { ...text(2, 'two '), truncated: true }, ucs2(3, ucs2FromText('три'))])
    expect(read).toBe('one two три')
    expect(truncated).toBe(true)
    expect(userData.map((run) => run.truncated ?? false)).toEqual([true, false])
  })

  test('a part that lost its last octet is the only reason why a message is marked as truncated', () => {
    const { truncated, userData } = joined(2, [text(1, 'one '), text(2, 'two')])
    expect(truncated).toBe(false)
    expect(userData[0]).not.toHaveProperty('truncated')
  })
})

describe('missing parts', () => {
  test('missing parts leave a … at the start, in the middle and at the end', () => {
    expect(joined(6, [text(2, 'two'), text(3, 'three'), text(5, 'five')]).text).toBe('…twothree…five…')
  })

  test('missing parts do not cause halves of pairs before and after the gap to be joined', () => {
    const high = ucs2FromText('😀').slice(0, 2)
    const low = ucs2FromText('😀').slice(2)
    expect(joined(3, [ucs2(1, high), ucs2(3, low)]).text).toBe('\ufffd…\ufffd')
  })
})
