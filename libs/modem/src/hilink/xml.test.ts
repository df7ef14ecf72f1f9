import { anyCharacter } from '@smsgw/sms/testing/any-character'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { childNumber, childText, escapeXml, isXmlText, parseXml } from './xml.ts'

test('reads documents as firmware writes them', () => {
  const root = parseXml(
    '<?xml version="1.0" encoding="UTF-8"?>\r\n<response>\r\n<A>1 &lt;2&gt; &amp;amp; &#65;&#x20AC;</A>\r\n<B/><c x="1">-5</c><D><![CDATA[<&]]></D><!-- e --></response>\r\n',
  )
  expect(root?.name).toBe('response')
  expect(['a', 'B', 'd'].map((name) => childText(root, name))).toEqual(['1 <2> &amp; A€', '', '<&'])
  expect(childNumber(root, 'C')).toBe(-5)
})

test.each(['', 'OK', '<response>', '<a></b>', '<a/><b/>', '<a>1</a>x', '</a>', '<html><br></html>', '<a>'.repeat(50)])(
  'refuses %s',
  (text) => expect(parseXml(text)).toBeUndefined(),
)

test.each(['<a', '<a ', '</a', '<![CDATA[', '<!--', '<!', '<?', '&#'])('reads 1 MiB of %j in little time', (piece) => {
  const document = `<response>${piece.padEnd(9).repeat(120_000)}</response>`
  const spaces = `<response>${piece}${' '.repeat(1_000_000)}</response>`
  const before = process.cpuUsage()
  parseXml(document)
  parseXml(spaces)
  // Measures CPU time, because other programs do not change it. A quadratic algorithm would need minutes.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000)
})

test('every written text is read back unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      fc.pre(isXmlText(text))
      expect(childText(parseXml(`<r><a>${escapeXml(text)}</a></r>`), 'a')).toBe(text)
    }),
  )
})

test('never throws, even on random input', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseXml(`<response>${text}</response>`)))
})

test.each(['a\u0000', 'a\u000c', 'a\ud800', '\udc00', 'a\uffff'])('cannot write %j', (text) => {
  expect(isXmlText(text)).toBe(false)
})

test.each(['a\tb\r\nc', '👍', '€ñ'])('can write %j', (text) => {
  expect(isXmlText(text)).toBe(true)
})
