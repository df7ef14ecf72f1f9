import { expect, test } from 'vitest'
import { textParts } from './text-parts.ts'

test.each([
  ['Your code is 123456.', ['text Your code is ', 'code 123456', 'text .']],
  ['See https://example.org/a?b=1, or call.', ['text See ', 'link https://example.org/a?b=1', 'text , or call.']],
  ['(http://example.org)', ['text (', 'link http://example.org', 'text )']],
  ['Call +447400123456 on 2026-03-01 at 10:30', ['text Call +447400123456 on 2026-03-01 at 10:30']],
  ['12 345 parcels, 1234567890', ['text 12 345 parcels, 1234567890']],
  ['javascript:alert(1)', ['text javascript:alert(1)']],
  ['', ['text ']],
])('%s has the links and codes %j', (text, expected) => {
  expect(textParts(text).map(({ kind, part }) => `${kind} ${part}`)).toEqual(expected)
})
