import { expect, test } from 'vitest'
import type { TrafficRecord } from './traffic.ts'
import { TrafficLines } from './traffic-lines.ts'

function joined(...pieces: (readonly [TrafficRecord['direction'], string])[]): string[] {
  const lines: string[] = []
  const joiner = new TrafficLines(({ direction, text }) => lines.push(`${direction} ${text}`))
  for (const [direction, text] of pieces)
    joiner.add({ epochMs: 0, modem: 'modem0', direction, bytes: Buffer.from(text, 'latin1') })
  joiner.flush()
  return lines
}

test('an answer that came byte by byte is one line, its control characters visible', () => {
  const pieces = [...'\r\nOK\r\n'].map((character) => ['out', character] as const)
  expect(joined(...pieces)).toEqual(['out <CR><LF>OK<CR><LF>'])
})

test('several lines at once are several lines', () => {
  expect(joined(['out', '\r\n+CSQ: 20,99\r\n\r\nOK\r\n'])).toEqual([
    'out <CR><LF>+CSQ: 20,99<CR><LF>',
    'out <CR><LF>OK<CR><LF>',
  ])
})

test('a prompt ends where the other side speaks, a PDU with its Ctrl-Z', () => {
  expect(joined(['in', 'AT+CMGS=3\r'], ['out', '\r\n> '], ['in', '001122\x1a'])).toEqual([
    'in AT+CMGS=3<CR>',
    'out <CR><LF>> ',
    'in 001122<^Z>',
  ])
})

test('bytes that are no text cannot reach the terminal', () => {
  expect(joined(['in', '\x1b[2J\x00\xff'])).toEqual(['in <ESC>', 'in [2J<NUL><FF>'])
})

test('a line without an end is cut', () => {
  expect(joined(['out', 'x'.repeat(900)]).map((line) => line.length)).toEqual([404, 404, 104])
})
