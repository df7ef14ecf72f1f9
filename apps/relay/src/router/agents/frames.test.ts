import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clientFrame } from '../testing/client-frame.ts'
import { readFirstMessage } from './first-message.ts'
import { FrameBoundary, textFrame } from './server-frames.ts'

const MOST = 70_000
const text = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.constantFrom('x'.repeat(125), 'x'.repeat(126), 'x'.repeat(65_536)),
)

test('the first message is read from any part of its bytes on, and not earlier', () => {
  fc.assert(
    fc.property(text, fc.nat(), (content, cut) => {
      const bytes = Buffer.concat([clientFrame('ping', 9), clientFrame(content), clientFrame('more')])
      const whole = clientFrame('ping', 9).length + clientFrame(content).length
      const shown = cut % bytes.length
      const result = readFirstMessage(bytes.subarray(0, shown), MOST)
      expect(result).toEqual(shown < whole ? { kind: 'incomplete' } : { kind: 'text', text: content })
    }),
  )
})

test.each([
  ['a binary message', clientFrame('x', 2)],
  ['a message in several frames', clientFrame('x', 1, false)],
  ['a frame without a mask', textFrame('x')],
  ['reserved bits', Buffer.of(0xf1, 0x81, 0, 0, 0, 0, 0)],
  ['a large message', Buffer.of(0x81, 0xff, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0)],
  ['a length of 2^63', Buffer.of(0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
  ['a long control frame', Buffer.of(0x89, 0xfe, 0, 200, 0, 0, 0, 0)],
  ['many control frames', Buffer.concat(Array.from({ length: 20 }, () => clientFrame('', 9)))],
])('a client that begins with %s is refused', (_, bytes) => {
  expect(readFirstMessage(bytes, MOST)).toMatchObject({ kind: 'refused', reason: expect.any(String) })
})

test('no bytes make the reader throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      expect(readFirstMessage(Buffer.from(bytes), MOST).kind).toMatch(/^(incomplete|text|refused)$/)
    }),
  )
})

test('the boundaries of frames are found in bytes that are split anywhere', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), fc.array(fc.nat({ max: 70_000 })), (contents, cuts) => {
      const frames = contents.map(textFrame)
      const bytes = Buffer.concat(frames)
      const ends = new Set<number>()
      for (const frame of frames) ends.add(Math.max(0, ...ends) + frame.length)
      const boundary = new FrameBoundary()
      const places = [...new Set([...cuts.map((cut) => cut % bytes.length), bytes.length])].toSorted((a, b) => a - b)
      let from = 0
      for (const to of places) {
        const found = boundary.push(bytes.subarray(from, to))
        const first = [...ends].find((end) => end > from && end <= to)
        expect(found === undefined ? undefined : from + found).toBe(first)
        expect(boundary.isBetweenFrames).toBe(to === 0 || ends.has(to))
        from = to
      }
    }),
  )
})
