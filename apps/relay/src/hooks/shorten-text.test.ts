import { partsNeeded } from '@smsgw/sms/segmentation/segment'
import { expect, test } from 'vitest'
import { shortenText } from './shorten-text.ts'

test('a text that fits stays unchanged', () => {
  for (const text of ['', 'short', 'x'.repeat(160), 'ü'.repeat(160), '漢'.repeat(70)])
    expect(shortenText(text, 1)).toBe(text)
})

test('a shortened text uses all allowed parts and ends with dots', () => {
  expect(shortenText('x'.repeat(161), 1)).toBe(`${'x'.repeat(157)}...`)
  expect(shortenText('漢'.repeat(71), 1)).toBe(`${'漢'.repeat(67)}...`)
  expect(shortenText('x'.repeat(10_000), 3)).toBe(`${'x'.repeat(456)}...`)
})

test('no character is split', () => {
  const text = '👍'.repeat(1_000)
  for (const parts of [1, 2, 3]) {
    const short = shortenText(text, parts)
    expect(short.isWellFormed()).toBe(true)
    expect(partsNeeded(short)).toBe(parts)
  }
})
