import { expect, test } from 'vitest'
import { readSmppTime, writeSmppTime } from './smpp-time.ts'

const NOW = Date.parse('2026-01-31T10:00:00Z')
const read = (text: string) => {
  const at = readSmppTime(text, NOW, 'ESME_RINVEXPIRY')
  return at === undefined ? undefined : new Date(at).toISOString()
}

test.each([
  ['', undefined],
  ['260301154611000+', '2026-03-01T15:46:11.000Z'],
  ['260301154611728+', '2026-03-01T08:46:11.700Z'],
  ['260301154611028-', '2026-03-01T22:46:11.000Z'],
  ['000000001000000R', '2026-01-31T10:10:00.000Z'],
  ['000002120000000R', '2026-02-02T22:00:00.000Z'],
  ['010100000000000R', '2027-03-03T10:00:00.000Z'],
])('reads "%s"', (text, expected) => {
  expect(read(text)).toBe(expected)
})

test.each([
  '261301154611000+',
  '260230000000000+',
  '260301244611000+',
  '260301154611049+',
  '260301154611000',
  'tomorrow',
])('refuses "%s"', (text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ status: 'ESME_RINVEXPIRY' }))
})

test('writes a time in UTC', () => {
  expect(writeSmppTime(Date.parse('2026-03-01T15:46:11.789+07:00'))).toBe('260301084611700+')
})
