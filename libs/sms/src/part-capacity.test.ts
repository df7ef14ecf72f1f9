import { expect, test } from 'vitest'
import type { Alphabet } from './data-coding-scheme.ts'
import { partCapacity } from './part-capacity.ts'
import {
  concatenationElement,
  type InformationElement,
  lockingShiftElement,
  portsElement,
  singleShiftElement,
} from './user-data-header.ts'

const concat8 = concatenationElement({ width: 8, reference: 1, total: 2, sequence: 1 })
const concat16 = concatenationElement({ width: 16, reference: 1, total: 2, sequence: 1 })
const ports16 = portsElement({ width: 16, destination: 2948, source: 9200 })
const single = singleShiftElement(1)
const locking = lockingShiftElement(1)

const cases: readonly [string, readonly InformationElement[], Readonly<Record<Alphabet, number>>][] = [
  ['no header', [], { gsm7: 160, octets: 140, ucs2: 70 }],
  ['concatenation, 8-bit reference', [concat8], { gsm7: 153, octets: 134, ucs2: 67 }],
  ['concatenation, 16-bit reference', [concat16], { gsm7: 152, octets: 133, ucs2: 66 }],
  ['16-bit ports', [ports16], { gsm7: 152, octets: 133, ucs2: 66 }],
  ['16-bit ports and concatenation', [concat8, ports16], { gsm7: 146, octets: 128, ucs2: 64 }],
  ['single shift', [single], { gsm7: 155, octets: 136, ucs2: 68 }],
  ['locking shift', [locking], { gsm7: 155, octets: 136, ucs2: 68 }],
  ['single shift and concatenation', [concat8, single], { gsm7: 149, octets: 131, ucs2: 65 }],
  ['both shifts', [single, locking], { gsm7: 152, octets: 133, ucs2: 66 }],
  ['both shifts and concatenation', [concat8, single, locking], { gsm7: 146, octets: 128, ucs2: 64 }],
]

test.each(cases)('a part with %s holds as much as the published figures say', (_, elements, expected) => {
  const { gsm7, octets, ucs2 } = expected
  expect(partCapacity('gsm7', elements)).toBe(gsm7)
  expect(partCapacity('octets', elements)).toBe(octets)
  expect(partCapacity('ucs2', elements)).toBe(ucs2)
})
