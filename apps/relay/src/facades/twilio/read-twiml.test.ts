import { expect, test } from 'vitest'
import { readTwiml } from './read-twiml.ts'

const SENDER = '+447400123456'
const read = (body: string, type = 'text/xml; charset=utf-8') => readTwiml(type, body, SENDER)
const replies = (body: string) => read(`<Response>${body}</Response>`).replies

test.each([
  ['<Message>Hello</Message>', ['Hello']],
  ['<Message><Body>Hello</Body></Message>', ['Hello']],
  ['<Sms>Hello</Sms>', ['Hello']],
  ['<Message>One</Message>\n  <Message to="+447400123456">Two</Message>', ['One', 'Two']],
  ['<Message>a &lt;b&gt; &amp; &quot;c&quot; &apos;d&apos; &#8364;&#x1F642;</Message>', [`a <b> & "c" 'd' €🙂`]],
  ['<Message><![CDATA[<b>&amp;</b>]]></Message>', ['<b>&amp;</b>']],
  ['<!-- a comment --><Message action="/x" method=\'POST\'>Hello</Message>', ['Hello']],
  ['', []],
  ['<Message/>', []],
])('follows %s', (body, expected) => {
  expect(replies(body)).toEqual(expected)
})

test('accepts a declaration and a byte order mark', () => {
  const body = '<?xml version="1.0" encoding="UTF-8"?>\n<Response><Message>Hello</Message></Response>'
  expect(read(body)).toEqual({ replies: ['Hello'], problems: [] })
  expect(read(`\ufeff${body}`, 'application/xml').replies).toEqual(['Hello'])
})

test('a plain text is one reply, and an answer of another media type is ignored', () => {
  expect(read(' Thank you \n', 'text/plain').replies).toEqual(['Thank you'])
  expect(read('  ', 'text/plain').replies).toEqual([])
  expect(read('{"ok":true}', 'application/json')).toEqual({ replies: [], problems: [] })
  expect(readTwiml(undefined, 'ok', SENDER)).toEqual({ replies: [], problems: [] })
})

test('reports verbs that are not supported, and stops at a redirect', () => {
  const { replies, problems } = read(
    '<Response><Say>x</Say><Message>One</Message><Redirect>/next</Redirect><Message>Two</Message></Response>',
  )
  expect(replies).toEqual(['One'])
  expect(problems).toEqual([
    '<Say> in the answer is not supported and was ignored',
    '<Redirect> in the answer is not supported and was ignored',
  ])
})

test('does not send to other numbers, and sends no media', () => {
  expect(read('<Response><Message to="+15005550006">x</Message></Response>')).toEqual({
    replies: [],
    problems: ['a message in the answer is for another number and was not sent'],
  })
  const media = read('<Response><Message><Body>x</Body><Media>https://example.com/a.png</Media></Message></Response>')
  expect(media.replies).toEqual(['x'])
  expect(media.problems).toEqual(['<Media> in a message of the answer is not supported and was ignored'])
})

test('limits the number and the length of replies', () => {
  const many = read(`<Response>${'<Message>x</Message>'.repeat(12)}</Response>`)
  expect([many.replies.length, many.problems.length]).toEqual([10, 1])
  const long = read(`<Response><Message>${'x'.repeat(1601)}</Message></Response>`)
  expect([long.replies.length, long.problems.length]).toEqual([0, 1])
})

test.each([
  ['an entity of a document type', '<!DOCTYPE r [<!ENTITY a "x">]><Response><Message>&a;</Message></Response>'],
  ['a file as entity', '<!DOCTYPE r SYSTEM "file:///etc/passwd"><Response/>'],
  ['an unknown entity', '<Response><Message>&nbsp;</Message></Response>'],
  ['an unescaped ampersand', '<Response><Message>a & b</Message></Response>'],
  ['a forbidden character', '<Response><Message>&#0;</Message></Response>'],
  ['a lone surrogate', '<Response><Message>&#xD800;</Message></Response>'],
  ['a code point that does not exist', '<Response><Message>&#x110000;</Message></Response>'],
  ['a processing instruction', '<?php echo 1 ?><Response/>'],
  ['an element that is not closed', '<Response><Message>x'],
  ['crossed elements', '<Response><Message>x</Response></Message>'],
  ['two root elements', '<Response/><Response/>'],
  ['text after the root element', '<Response/>x'],
  ['an attribute without quotes', '<Response><Message to=x>x</Message></Response>'],
  ['a repeated attribute', '<Response><Message to="1" to="2">x</Message></Response>'],
  ['a comment that is not closed', '<Response><!-- </Response>'],
  ['deep nesting', `${'<Response>'.repeat(9)}${'</Response>'.repeat(9)}`],
  ['many elements', `<Response>${'<Message/>'.repeat(200)}</Response>`],
  ['another root element', '<html><body>502 Bad Gateway</body></html>'],
  ['no XML', 'Not found'],
])('follows nothing in an answer with %s', (_, body) => {
  const { replies, problems } = read(body)
  expect(replies).toEqual([])
  expect(problems).toHaveLength(1)
})

test('reads hostile answers in linear time', () => {
  const size = 65_536
  const before = process.cpuUsage()
  for (const piece of ['<', '<a', '&', '&#', '<!--', '<![CDATA[', '<a b="', ' a="b"', '<a '])
    read(`<Response><Message${piece.repeat(size / piece.length)}`)
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(10_000)
})
