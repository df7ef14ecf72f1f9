import { expect, test } from 'vitest'
import { excerptAround } from './read-matches.ts'

const marked = (text: string, search: string) => {
  const found = excerptAround(text, search)
  return found?.excerpt.slice(found.start, found.start + found.length)
}

test.each([
  ['Your PARCEL arrives', 'parcel', 'PARCEL'],
  [`${'x'.repeat(5_000)}needle`, 'Needle', 'needle'],
  // The first letter has two characters in lower case.
  ['İ said İstanbul', 'said', 'said'],
  ['at the end 👍', '👍', '👍'],
])('marks the search text as written in %s', (text, search, expected) => {
  expect(marked(text, search)).toBe(expected)
})

test('begins and ends an excerpt between characters', () => {
  const text = `${'👍'.repeat(60)}needle${'👍'.repeat(200)}`
  expect(excerptAround(text, 'needle')?.excerpt.isWellFormed()).toBe(true)
  expect(excerptAround(`x${text}`, 'needle')?.excerpt.isWellFormed()).toBe(true)
})

test('contains a match that is longer than the excerpt', () => {
  const long = 'y'.repeat(160)
  expect(marked(`${'x'.repeat(100)}${long}`, long)).toBe(long)
})

test('finds nothing in a text without the search text', () => {
  expect(excerptAround('hello', 'parcel')).toBeUndefined()
})
