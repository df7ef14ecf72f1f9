import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { clusterStarts } from './grapheme-clusters.ts'

test.each([
  ['a letter and its combining accent', 'e\u0301'],
  ['a family joined by U+200D', '👨‍👩‍👧'],
  ['a flag', '🇫🇷'],
  ['a skin tone', '👍🏽'],
  ['a keycap', '1\ufe0f\u20e3'],
  ['a copyright sign shown as emoji', '©\ufe0f'],
  ['a Hangul syllable in pieces', '\u1112\u1161\u11ab'],
  ['a Devanagari letter and its vowel sign', 'कि'],
  ['a line end of two characters', '\r\n'],
])('%s is one cluster: for any index inside the cluster, the result is its start', (_, cluster) => {
  const startOf = clusterStarts(`ab${cluster}cd`)
  for (let inside = 1; inside < cluster.length; inside++) expect(startOf(2 + inside)).toBe(2)
  expect(startOf(2)).toBe(2)
  expect(startOf(2 + cluster.length)).toBe(2 + cluster.length)
})

test('grapheme clusters are the same with and without the shortcut that avoids the segmenter', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
  const suspects = fc.constantFrom(
    'a',
    '\r',
    '\n',
    '\u00ad',
    '©',
    '\u0301',
    '\u200d',
    '🇫',
    '\u0600',
    '\u1160',
    '👧',
    'ĳ',
    'Ω',
    'ж',
    '\u0483',
    '中',
  )
  fc.assert(
    fc.property(fc.string({ unit: suspects, maxLength: 12 }), (text) => {
      const startOf = clusterStarts(text)
      for (let index = 0; index <= text.length; index++) {
        expect(startOf(index)).toBe(segmenter.segment(text).containing(index)?.index ?? index)
      }
    }),
  )
})
