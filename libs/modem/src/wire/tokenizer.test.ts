import { anyCharacter } from '@smsgw/sms/testing/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Tokenizer } from './tokenizer.ts'

const pdu = '07911326040000F0040B911346610089F60000208062917314080CC8F71D14969741F977FD07'

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}

/**
 * Returns tokens as text: a line as it is, a prompt as `<prompt>`. A line that is too long, for example 5000 bytes,
 * becomes `<noise 5000>`.
 */
function tokens(chunks: readonly Uint8Array[], maximumLineLength?: number): string[] {
  const seen: string[] = []
  const tokenizer = new Tokenizer(maximumLineLength)
  const listener = {
    line: (text: string) => void seen.push(text),
    prompt: () => void seen.push('<prompt>'),
    noise: (length: number) => void seen.push(`<noise ${length}>`),
  }
  for (const chunk of chunks) tokenizer.push(chunk, listener)
  return seen
}

describe('reads recorded modem output', () => {
  const seen: [about: string, sent: string, expected: string[]][] = [
    ['lines with CR LF', '\r\n+CSQ: 20,99\r\n\r\nOK\r\n', ['+CSQ: 20,99', 'OK']],
    ['CR CR LF', 'AT\r\r\nOK\r\r\n', ['AT', 'OK']],
    ['several CR before LF', '+CSQ: 20,99\r\r\r\nOK\r\r\n', ['+CSQ: 20,99', 'OK']],
    ['LF alone', '+CSQ: 20,99\nOK\n', ['+CSQ: 20,99', 'OK']],
    ['CR alone (ATV0)', '0\r', ['0']],
    ['extra blank lines', '\r\n\r\n \r\n\r\nOK\r\n\r\n\r\n', ['OK']],
    ['leading NULs', '\0\0\r\n\0OK\0\r\n', ['OK']],
    ['line noise of a port that opens', '\xff\xffOK\r\n', ['OK']],
    ['blanks around a line', '  +CPIN: READY \t\r\n', ['+CPIN: READY']],
    ['NULs inside a text (@ of GSM 7-bit)', '+CUSD: 0,"a\0b",15\r\n', ['+CUSD: 0,"a\0b",15']],
    ['bytes above 127', 'caf\xe9\r\n', ['caf\xe9']],
    ['prompt with a space', '\r\n> ', ['<prompt>']],
    ['prompt without a space', '\r\n>', ['<prompt>']],
    ['prompt as a line', '>\r\n', ['<prompt>']],
    ['prompt behind an echo that ends with CR', 'AT+CMGS=24\r> ', ['AT+CMGS=24', '<prompt>']],
    ['prompt behind an echo without an end', 'AT+CMGS=24> ', ['AT+CMGS=24', '<prompt>']],
    ['prompt behind a doubled echo', 'AT+CMGS=24\r\r\nAT+CMGS=24\r\n\r\n> ', ['AT+CMGS=24', 'AT+CMGS=24', '<prompt>']],
    ['prompt twice', '> \r\n> ', ['<prompt>', '<prompt>']],
    ['unsolicited code behind a prompt', '> +CMTI: "SM",3\r\n', ['<prompt>', '+CMTI: "SM",3']],
    ['echo of a PDU behind the prompt', `> ${pdu}\x1a\r\n+CMGS: 7\r\n`, ['<prompt>', pdu, '+CMGS: 7']],
    ['echo of ESC', '> \x1b\r\nOK\r\n', ['<prompt>', 'OK']],
    ['a greater-than inside a line', '+CUSD: 0,"1 > 0",15\r\n', ['+CUSD: 0,"1 > 0",15']],
    [
      'a row of CMGL behind a PDU without a line break',
      `${pdu}+CMGL: 2,1,,24\r\n${pdu}\r\n`,
      [pdu, '+CMGL: 2,1,,24', pdu],
    ],
    ['OK behind a PDU without a line break', `${pdu}OK\r\n`, [pdu, 'OK']],
    ['a word of hexadecimal digits', 'FACADE+CMGL\r\n', ['FACADE+CMGL']],
  ]
  test.each(seen)('%s', (_about, sent, expected) => {
    expect(tokens([bytesOf(sent)])).toEqual(expected)
    expect(tokens(Array.from(bytesOf(sent), (byte) => Uint8Array.of(byte)))).toEqual(expected)
  })
})

test('reports the prompt at its first byte, without waiting for more', () => {
  expect(tokens([bytesOf('\r\n>')])).toEqual(['<prompt>'])
})

test('truncates a line beyond the limit, reports its length and continues', () => {
  expect(tokens([bytesOf(`${'x'.repeat(11)}\r\nOK\r\n`)], 10)).toEqual(['<noise 11>', 'OK'])
  expect(tokens([bytesOf(`${'x'.repeat(10)}\r\nOK\r\n`)], 10)).toEqual(['x'.repeat(10), 'OK'])
  expect(tokens([bytesOf(`${'x'.repeat(100_000)}\r\nOK\r\n`)])).toEqual(['<noise 100000>', 'OK'])
})

test('reads the longest line that fits', () => {
  expect(tokens([bytesOf(`${'7'.repeat(4096)}\r\n`)])).toEqual(['7'.repeat(4096)])
})

test('reports whether it is in the middle of a line', () => {
  const tokenizer = new Tokenizer()
  const deaf = { line: () => undefined, prompt: () => undefined, noise: () => undefined }
  expect(tokenizer.midLine).toBe(false)
  tokenizer.push(bytesOf('+CM'), deaf)
  expect(tokenizer.midLine).toBe(true)
  tokenizer.push(bytesOf('GS: 1\r\n'), deaf)
  expect(tokenizer.midLine).toBe(false)
})

const dialogueBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\r\n',
        '\r',
        '\n',
        '> ',
        '>',
        'OK\r\n',
        '\0',
        pdu,
        '+CMGL: 1,1,,24',
        'AT+CMGS=24',
        '\x1a',
        '\x1b',
        '"',
        ' ',
      ),
      fc.string({ maxLength: 12, unit: anyCharacter }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => bytesOf(parts.join('')))

test('gives the same tokens for any division of the bytes into chunks', () => {
  fc.assert(
    fc.property(
      dialogueBytes,
      fc.array(fc.nat(300), { maxLength: 20 }),
      fc.constantFrom(16, 4096),
      (bytes, cuts, limit) => {
        const edges = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
        const chunks = edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge))
        expect(tokens(chunks, limit)).toEqual(tokens([bytes], limit))
      },
    ),
  )
})

test('reads any noise to its end: no byte stream throws, and lines stay within the limit', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
      for (const token of tokens([bytes], 64)) expect(token.length).toBeLessThanOrEqual(64)
    }),
  )
})
