import { expect, test } from 'vitest'
import { characterWords, meterOf } from './encoding-meter.ts'

test('a plain text of 160 characters is one full part, the next character makes it two', () => {
  expect(meterOf('a'.repeat(160))).toMatchObject({ encoding: 'GSM-7', parts: 1, left: 0, culprits: [] })
  expect(meterOf('a'.repeat(161))).toMatchObject({ encoding: 'GSM-7', parts: 2, perPart: 153, left: 145 })
})

test('the character that GSM-7 cannot write is named, and leaves 70 to a part', () => {
  expect(meterOf('Łódź')).toMatchObject({ encoding: 'UCS-2', parts: 1, perPart: 70, left: 66 })
  expect(meterOf('good ✓ good ✓').culprits).toEqual(['✓'])
  expect(characterWords('✓')).toBe('✓ (U+2713)')
})

test('a plainer spelling is offered with what it saves, and only where there is one', () => {
  const quoted = `“${'a'.repeat(100)}”`
  expect(meterOf(quoted).plain).toEqual({ text: `"${'a'.repeat(100)}"`, partsSaved: 1 })
  expect(meterOf('日本').plain).toBeUndefined()
  expect(meterOf('plain').plain).toBeUndefined()
})
