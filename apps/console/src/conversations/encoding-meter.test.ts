import { expect, test } from 'vitest'
import { characterWords, meterOf } from './encoding-meter.ts'

test('160 GSM-7 characters fill one part, and one more needs a second part', () => {
  expect(meterOf('a'.repeat(160))).toMatchObject({ encoding: 'GSM-7', parts: 1, left: 0, culprits: [] })
  expect(meterOf('a'.repeat(161))).toMatchObject({ encoding: 'GSM-7', parts: 2, perPart: 153, left: 145 })
})

test('names the character that is not in GSM-7, and counts 70 characters per part', () => {
  expect(meterOf('Łódź')).toMatchObject({ encoding: 'UCS-2', parts: 1, perPart: 70, left: 66 })
  expect(meterOf('good ✓ good ✓').culprits).toEqual(['✓'])
  expect(characterWords('✓')).toBe('✓ (U+2713)')
})

test('offers plain characters and shows the number of parts they save, if the text can be converted', () => {
  const quoted = `“${'a'.repeat(100)}”`
  expect(meterOf(quoted).plain).toEqual({ text: `"${'a'.repeat(100)}"`, partsSaved: 1 })
  expect(meterOf('日本').plain).toBeUndefined()
  expect(meterOf('plain').plain).toBeUndefined()
})
