import { expect, test } from 'vitest'
import { partsBeyond } from './check-message.ts'

const text = (content: string) => ({ kind: 'text', text: content }) as const
const data = (octets: number) => ({ kind: 'data', data: Buffer.alloc(octets).toString('base64'), port: 5000 }) as const

test('allows a text with the maximum number of parts, and returns the number beyond it', () => {
  expect(partsBeyond(text('a'.repeat(153 * 255)), 255)).toBeUndefined()
  expect(partsBeyond(text('a'.repeat(153 * 255 + 1)), 255)).toBe(256)
})

test('counts the shorter parts of UCS-2 texts', () => {
  expect(partsBeyond(text('ж'.repeat(67 * 3)), 3)).toBeUndefined()
  expect(partsBeyond(text('ж'.repeat(67 * 3 + 1)), 3)).toBe(4)
})

test('moves a surrogate pair that would be split into the next part', () => {
  const pairs = '\u{1f600}'.repeat(99)
  expect(partsBeyond(text(pairs), 3)).toBeUndefined()
  expect(partsBeyond(text(`${pairs}\u{1f600}`), 3)).toBe(4)
})

test('distinguishes a single part from the first of many', () => {
  expect(partsBeyond(text('a'.repeat(160)), 1)).toBeUndefined()
  expect(partsBeyond(text('a'.repeat(161)), 1)).toBe(2)
})

test('counts data in octets, next to its port header', () => {
  expect(partsBeyond(data(133), 1)).toBeUndefined()
  expect(partsBeyond(data(134), 1)).toBe(2)
  expect(partsBeyond(data(128 * 255), 255)).toBeUndefined()
  expect(partsBeyond(data(128 * 255 + 1), 255)).toBe(256)
})
