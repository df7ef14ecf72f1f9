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

test('joins an answer that arrived byte by byte, with visible control characters', () => {
  const pieces = [...'\r\nOK\r\n'].map((character) => ['out', character] as const)
  expect(joined(...pieces)).toEqual(['out <CR><LF>OK<CR><LF>'])
})

test('splits several lines in one chunk', () => {
  expect(joined(['out', '\r\n+CSQ: 20,99\r\n\r\nOK\r\n'])).toEqual([
    'out <CR><LF>+CSQ: 20,99<CR><LF>',
    'out <CR><LF>OK<CR><LF>',
  ])
})

test('ends a prompt when the other side writes, and a PDU at Ctrl-Z', () => {
  expect(joined(['in', 'AT+CMGS=3\r'], ['out', '\r\n> '], ['in', '001122\x1a'])).toEqual([
    'in AT+CMGS=3<CR>',
    'out <CR><LF>> ',
    'in 001122<^Z>',
  ])
})

test('prints bytes without control characters', () => {
  expect(joined(['in', '\x1b[2J\x00\xff'])).toEqual(['in <ESC>', 'in [2J<NUL><FF>'])
})

test('shortens a line without an end', () => {
  expect(joined(['out', 'x'.repeat(900)]).map((line) => line.length)).toEqual([404, 404, 104])
})
