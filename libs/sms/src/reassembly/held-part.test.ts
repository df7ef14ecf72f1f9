import { expect, test } from 'vitest'
import { addressFromText } from '../fields/address.ts'
import { timeStampFromEpochMs } from '../fields/time-stamp.ts'
import { concatenationElement, portsElement, userDataHeaderOf } from '../fields/user-data-header.ts'
import { heldPartOf, isResentPart, isSamePart, type ReceivedPart } from './held-part.ts'

const concatenation = { width: 8, reference: 7, total: 2, sequence: 1 } as const
const part: ReceivedPart = {
  partId: 'one',
  sim: 'sim',
  sender: addressFromText('+447700900123'),
  concatenation,
  userData: {
    alphabet: 'octets',
    header: userDataHeaderOf([concatenationElement(concatenation)]),
    units: Uint8Array.of(1, 2),
  },
  dataCodingScheme: 0x04,
  protocolIdentifier: 0,
  serviceCentreTimeStamp: timeStampFromEpochMs(Date.UTC(2026, 2, 1), 0),
  atMs: 0,
}
const ports = portsElement({ width: 16, destination: 2948, source: 9200 })
const { userData } = part

const others: readonly [string, Partial<ReceivedPart>][] = [
  ['units', { userData: { ...userData, units: Uint8Array.of(1, 3) } }],
  ['header', { userData: { ...userData, header: userDataHeaderOf([concatenationElement(concatenation), ports]) } }],
  ['data coding scheme', { dataCodingScheme: 0xf5 }],
  ['protocol identifier', { protocolIdentifier: 0x41 }],
  ['sequence', { concatenation: { ...concatenation, sequence: 2 } }],
]

test.each(others)(
  'a part with another %s is not a copy, whether its time stamp is equal or it was sent again',
  (_, other) => {
    const [one, two] = [heldPartOf(part), heldPartOf({ ...part, ...other })]
    expect(isSamePart(one, two)).toBe(false)
    expect(isResentPart(one, two, 60_000)).toBe(false)
  },
)

test('a part with another id and another read time is the same part', () => {
  const again = heldPartOf({ ...part, partId: 'two', atMs: 9 * 60_000 })
  expect(isSamePart(heldPartOf(part), again)).toBe(true)
})
