import { expect, test } from 'vitest'
import { visibleText } from './untrusted-text.ts'

test.each([
  ['line feed, tab and words of any language', 'Hallo\n\tWörld שלום 你好 مرحبا', 'Hallo\n\tWörld שלום 你好 مرحبا'],
  ['a family emoji and a flag', '👨‍👩‍👧 🇩🇪 ❤️ 👍🏽', '👨‍👩‍👧 🇩🇪 ❤️ 👍🏽'],
  ['joiners of Persian and Hindi', 'می\u200cخواهم क्\u200dष', 'می\u200cخواهم क्\u200dष'],
  ['an accent that is a character of its own', 'e\u0301', 'e\u0301'],
])('keeps %s', (_, text, expected) => {
  expect(visibleText(text)).toBe(expected)
})

test.each([
  ['an override of the direction', 'pay \u202eABC', 'pay [U+202E]ABC'],
  ['isolates', '\u2066a\u2069', '[U+2066]a[U+2069]'],
  ['terminal sequences', '\u001b[31mred\u0007\r', '[U+001B][31mred[U+0007][U+000D]'],
  ['C1 control characters', '\u009b31m', '[U+009B]31m'],
  ['letters of the tag block, which spell hidden words', '\u{e0069}\u{e0067}', '[U+E0069][U+E0067]'],
  ['zero-width space, byte order mark and soft hyphen', 'a\u200b\ufeff\u00adb', 'a[U+200B][U+FEFF][U+00AD]b'],
  ['variation selectors, which can carry bytes', 'a\ufe00\u{e0100}', 'a[U+FE00][U+E0100]'],
  ['joiners between Latin letters', 'a\u200db\u200cc', 'a[U+200D]b[U+200C]c'],
  ['a joiner without a letter after it', 'می\u200c', 'می[U+200C]'],
  ['line and paragraph separators', 'a\u2028b\u2029', 'a[U+2028]b[U+2029]'],
  ['lone surrogates', 'a\ud800', 'a[U+D800]'],
  ['private use', '\ue000', '[U+E000]'],
  ['invisible letters', '\u3164\u115f', '[U+3164][U+115F]'],
])('shows %s as code points', (_, text, expected) => {
  expect(visibleText(text)).toBe(expected)
})

test('shortens a text that is longer than any SMS', () => {
  expect(visibleText('x'.repeat(50_000))).toHaveLength(40_001)
})

test('reads a hostile text in linear time', () => {
  const before = process.cpuUsage()
  visibleText('\u{1f468}\u200d'.repeat(20_000))
  // Measures CPU time, because other programs do not change it.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000)
})
