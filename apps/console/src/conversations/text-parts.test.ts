import { expect, test } from 'vitest'
import { linkTarget, markedParts, shortLead, textParts } from './text-parts.ts'

test.each([
  ['Your code is 123456.', ['text Your code is ', 'code 123456', 'text .']],
  [
    'Your code is 493 201, G-493-201 or 493-201.',
    ['text Your code is ', 'code 493 201', 'text , G-493-201 or ', 'code 493-201', 'text .'],
  ],
  ['It costs 100 000, call 020 555 123 456', ['text It costs 100 000, call 020 555 123 456']],
  ['See https://example.org/a?b=1, or call.', ['text See ', 'link https://example.org/a?b=1', 'text , or call.']],
  ['(http://example.org)', ['text (', 'link http://example.org', 'text )']],
  ['(see https://example.org/a_(b)?c=(d))', ['text (see ', 'link https://example.org/a_(b)?c=(d)', 'text )']],
  [
    'Https://example.org or www.example.org.',
    ['link Https://example.org', 'text  or ', 'link www.example.org', 'text .'],
  ],
  ['Call +44 7400 123456 or +44 (20) 7946-0018', ['text Call +44 7400 123456 or +44 (20) 7946-0018']],
  ['Call +447400123456 on 2026-03-01 at 10:30', ['text Call +447400123456 on 2026-03-01 at 10:30']],
  ['12 345 parcels, 1234567890', ['text 12 345 parcels, 1234567890']],
  [
    '„https://example.org/a“, «www.example.org/b»…',
    ['text „', 'link https://example.org/a', 'text “, «', 'link www.example.org/b', 'text »…'],
  ],
  [
    'https://example.org؟ https://example.org。',
    ['link https://example.org', 'text ؟ ', 'link https://example.org', 'text 。'],
  ],
  ['https://\u202ex@evil.example/moc.knab', ['text https://\u202ex@evil.example/moc.knab']],
  [
    'https://example.org\u202e/moc www.example.org\u200b',
    ['link https://example.org', 'text \u202e/moc ', 'link www.example.org', 'text \u200b'],
  ],
  ['\u2068https://example.org/(a)\u2069', ['text \u2068', 'link https://example.org/(a)', 'text \u2069']],
  ['https://bank.example@evil.example/', ['text https://bank.example@evil.example/']],
  ['www.bank.example:1@evil.example', ['text www.bank.example:1@evil.example']],
  ['https://example.org/@ada', ['link https://example.org/@ada']],
  ['javascript:alert(1)', ['text javascript:alert(1)']],
  ['', ['text ']],
])('%s has the links and codes %j', (text, expected) => {
  expect(textParts(text).map(({ kind, part }) => `${kind} ${part}`)).toEqual(expected)
})

test('the codes of a long text are found in a short time', () => {
  // Quadratic work would exceed the time limit of a test.
  const text = '123-456  '.repeat(600_000)
  expect(textParts(text)).toHaveLength(3)
})

test('an address without a scheme opens over HTTPS', () => {
  expect(linkTarget('www.example.org/a')).toBe('https://www.example.org/a')
  expect(linkTarget('http://example.org')).toBe('http://example.org')
})

test.each([
  ['Your code is 123456.', '123456', ['Your code is ', '[123456]', '.']],
  ['Your code is 123456.', 'IS 12', ['Your code ', '[is ]', '[12]', '3456', '.']],
  ['https://example.org/a, A?', 'a', ['https://ex', '[a]', 'mple.org/', '[a]', ', ', '[A]', '?']],
  ['İİ (a+b) x', '(A+', ['İİ ', '[(a+]', 'b) x']],
  ['Hello', '', ['Hello']],
  ['Hello', 'l', ['He', '[l]', '[l]', 'o']],
  ['Code 1234', '1', ['Code ', '[1]', '234']],
])('%s with the search text %s is shown as %j', (text, marked, expected) => {
  const pieces = markedParts(text, marked).flatMap((part) => part.pieces)
  expect(pieces.map(({ piece, isMarked }) => (isMarked ? `[${piece}]` : piece))).toEqual(expected)
})

test('a text with very many matches is marked only at its start', () => {
  const pieces = markedParts('e'.repeat(39_000), 'e').flatMap((part) => part.pieces)
  expect(pieces.filter(({ isMarked }) => isMarked)).toHaveLength(200)
  expect(pieces.at(-1)).toEqual({ piece: 'e'.repeat(38_800), at: 200, isMarked: false })
})

test('a match stays visible: only the end of a long text before it is shown, from a space', () => {
  expect(shortLead('Shall I book a ')).toBe('Shall I book a ')
  expect(shortLead('Your code is 493 201. More at ')).toBe('…201. More at ')
})

test('a text without spaces is cut between characters', () => {
  expect(shortLead('https://example.com/menu/')).toBe('…xample.com/menu/')
  expect(shortLead('🙂'.repeat(20))).toBe(`…${'🙂'.repeat(16)}`)
})
