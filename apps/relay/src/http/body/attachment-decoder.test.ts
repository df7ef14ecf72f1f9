import { DecodedBase64 } from '@smsgw/contract/fields/decoded-base64'
import { CollectedText } from '@smsgw/contract/messages/collected-text'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AttachmentDecoder } from './attachment-decoder.ts'
import { textOfOctets } from './octet-pieces.ts'

const LEAST = 8

interface Read {
  readonly value: unknown
  readonly hasDecoded: boolean
}

/** Reads a body in pieces of these lengths, repeated. */
function read(body: Buffer, lengths: readonly number[], least = LEAST): Read {
  const decoder = new AttachmentDecoder(least)
  for (let at = 0, index = 0; at < body.length; index += 1) {
    const length = Math.max(1, lengths[index % lengths.length] ?? body.length)
    // A copy, because the decoder must not depend on a chunk after it has returned.
    const chunk = Buffer.from(body.subarray(at, at + length))
    decoder.add(chunk)
    chunk.fill('?')
    at += length
  }
  const value = JSON.parse(decoder.end().toString('utf8'))
  decoder.restore(value)
  return { value, hasDecoded: decoder.hasDecoded }
}

/** Replaces octets by their text. */
function withTexts(value: unknown): unknown {
  if (value instanceof DecodedBase64 || value instanceof CollectedText) return textOfOctets(value)
  if (Array.isArray(value)) return value.map(withTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withTexts(inner)]))
}

function parsed(text: string): unknown {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return 'refused'
  }
}

function decodedAs(text: string, lengths: readonly number[]): unknown {
  try {
    return { value: withTexts(read(Buffer.from(text), lengths).value) }
  } catch (error) {
    if (error instanceof SyntaxError) return 'refused'
    throw error
  }
}

const base64 = fc.uint8Array({ maxLength: 60 }).map((octets) => Buffer.from(octets).toString('base64'))
/** Base64 as encoders write it, and texts that look like base64. */
const content = fc.oneof(
  base64,
  base64.map((text) => text.replaceAll('/', '\\/').replaceAll('=', '\\u003d')),
  base64.map((text) => [...text].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join('')),
  fc
    .tuple(
      base64,
      fc.constantFrom('=', '==', '===', 'A', '\\n', '\\\\', '\\"', '\\u00', '\\u00"', '\\ud83d', 'é', '-'),
      base64,
    )
    .map((parts) => parts.join('')),
  fc.constantFrom(
    'QUJDREVGR0g=',
    'QUJDREVGR0h=',
    'QUJDREVGRw==',
    'QUJDREVGRx==',
    'QUJDREVGRw=',
    'QUJDREVGR0hJ',
    '====',
    '',
  ),
  fc.string(),
  // Encrypted texts, and texts that look like them.
  fc
    .tuple(
      fc.constantFrom('$', '\\u0024', '$aes-256-cbc/pbkdf2-sha1$i=1$'),
      base64,
      fc.constantFrom('', '$', '\\/', '\\u003d', 'é', ' '),
      base64,
    )
    .map((parts) => parts.join('')),
)
const token = fc.oneof(
  { weight: 4, arbitrary: content.map((text) => `"data":"${text}"`) },
  { weight: 2, arbitrary: content.map((text) => `"d\\u0061ta" : "${text}"`) },
  { weight: 2, arbitrary: content.map((text) => `"text":"${text}"`) },
  fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    ' ',
    '\n',
    'null',
    '1.5e3',
    '"contentType":"image/png"',
    '"data"',
  ),
  fc.constantFrom('"data":["QUJDREVGR0hJ"]', '"data":{"data":"QUJDREVGR0hJ"}', '"data" \n\t: \r"QUJDREVGR0hJ"'),
)
const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })

test('every body is read or refused as by JSON.parse, wherever it is cut', () => {
  const object = fc.array(token, { maxLength: 5 }).map((members) => `{${members.join(',')}}`)
  const body = fc.oneof(
    object,
    fc.array(object, { maxLength: 3 }).map((all) => `[${all.join(',')}]`),
    fc.array(object, { maxLength: 3 }).map((all) => `{"attachments":[${all.join(',')}]}`),
    fc.array(token, { maxLength: 8 }).map((tokens) => tokens.join('')),
    fc.json(),
  )
  fc.assert(
    fc.property(body, lengths, (text, cuts) => {
      expect(decodedAs(text, cuts)).toEqual(parsed(text))
    }),
    { numRuns: 5_000 },
  )
})

test('a body is read the same wherever it is cut in two', () => {
  const body = Buffer.from('[{"x":"\\\\","data" : "QUJDRE\\/GR0h\\u003d","contentType":"é"},{"data":"QUJDREVGRw=="}]')
  const whole = withTexts(JSON.parse(body.toString()))
  for (let cut = 1; cut < body.length; cut += 1) {
    const { value, hasDecoded } = read(body, [cut, body.length])
    expect([withTexts(value), hasDecoded]).toEqual([whole, true])
  }
})

test('decodes only the data of attachments to octets, in pieces that need no more memory', () => {
  const picture = Buffer.alloc(300_001, 'picture')
  const data = picture.toString('base64')
  const body = { attachments: [{ contentType: 'image/png', data }], dataMessage: { data }, text: data }
  const { value } = read(Buffer.from(JSON.stringify(body)), [1_460], 64 * 1024)
  const read1 = value as { attachments: [{ data: DecodedBase64 }]; dataMessage: object; text: string }
  const { pieces, size, length } = read1.attachments[0].data
  expect(Buffer.concat(pieces).equals(picture)).toBe(true)
  expect([size, length]).toEqual([picture.length, data.length])
  expect(pieces.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)).toBeLessThan(picture.length + 1_000)
  expect([read1.dataMessage, read1.text]).toEqual([{ data }, data])
})

test('a long encrypted attachment is collected in pieces that need no more memory', () => {
  const text = `$aes-256-cbc/pbkdf2-sha1$i=75000$${'A'.repeat(22)}==$${Buffer.alloc(300_000, 'picture').toString('base64')}`
  const body = { attachments: [{ contentType: 'image/png', data: text }], dataMessage: { data: text } }
  const { value } = read(Buffer.from(JSON.stringify(body).replaceAll('=', '\\u003d')), [1_460], 64 * 1024)
  const { attachments, dataMessage } = value as { attachments: [{ data: CollectedText }]; dataMessage: object }
  const [{ data }] = attachments
  expect([data instanceof CollectedText, textOfOctets(data) === text, data.size]).toEqual([true, true, text.length])
  expect(data.pieces.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)).toBeLessThan(text.length + 1_000)
  expect(dataMessage).toEqual({ data: text })
})

test('the last value of a repeated member is used, and a text that looks like a placeholder stays unchanged', () => {
  const attachment = (data: string) => `"data":"${data}"`
  const both = `{"contentType":"a",${attachment('QUJDREVGR0hJ')},${attachment('SElKS0xNTk9Q')}}`
  expect(withTexts(read(Buffer.from(both), [7]).value)).toEqual({ contentType: 'a', data: 'SElKS0xNTk9Q' })
  const forged = `{"contentType":"a",${attachment('QUJDREVGR0hJ')},"a":{"contentType":"a",${attachment('x:0')}}}`
  expect(withTexts(read(Buffer.from(forged), [7]).value)).toEqual(JSON.parse(forged))
})

test('a deeply nested body is read', () => {
  const depth = 5_000
  const body = `${'['.repeat(depth)}{"contentType":"a","data":"QUJDREVGR0hJ"}${']'.repeat(depth)}`
  let value = read(Buffer.from(body), [100]).value
  while (Array.isArray(value)) value = value[0]
  expect(withTexts(value)).toEqual({ contentType: 'a', data: 'QUJDREVGR0hJ' })
})

test.each([
  ['values', '{},'.repeat(250_000)],
  ['strings without a comma', '""'.repeat(700_000)],
])('refuses a body with too many %s before it is parsed', (_, text) => {
  expect(() => new AttachmentDecoder().add(Buffer.from(text))).toThrow(/more than 200000 values/)
})

test('hostile bodies of 16 MiB take little time', () => {
  const chunk = (text: string) => Buffer.from(text.repeat(Math.floor(65_536 / text.length)))
  for (const text of ['\\u0041', '\\\\', 'A', '\\/', 'A ', '=', '$', '$ ']) {
    const decoder = new AttachmentDecoder()
    decoder.add(Buffer.from('{"data":"'))
    const piece = chunk(text)
    const before = process.cpuUsage()
    for (let count = 0; count < 256; count += 1) decoder.add(piece)
    decoder.end()
    const cpuMs = process.cpuUsage(before).user / 1_000
    expect([text, cpuMs]).toEqual([text, expect.toSatisfy((ms: number) => ms < 10_000)])
  }
})
