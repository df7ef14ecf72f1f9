import { maxFrameBytes } from '@smsgw/contract/link/frame'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byteLength, fitsFrame, readAgentFrame, readRelayFrame } from './frame-text.ts'

test.each([
  '',
  'null',
  '7',
  '[]',
  '"events"',
  '{',
  '{"type":7}',
  '{}',
  '[[[[',
  '{"type":"ping","number":1}x',
  `{"type":"ping","number":1,"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
])('gives one clear reason for %.40s', (text) => {
  expect(readAgentFrame(text)).toMatchObject({
    kind: 'refused',
    why: 'malformed',
    reason: expect.stringContaining('frame'),
  })
})

test('reports the name of an invalid field, but not its value', () => {
  const text = '{"type":"stored","upto":"+447700900123"}'
  expect(readRelayFrame(text)).toEqual({
    kind: 'refused',
    why: 'malformed',
    reason: 'stored: upto must be a number',
  })
  expect(JSON.stringify(readRelayFrame(text))).not.toContain('447700900123')
})

test('says in words that a field is missing', () => {
  expect(readRelayFrame('{"type":"stored"}')).toMatchObject({ reason: 'stored: upto is required' })
})

test('ignores a frame type of a newer version, unless the frame is critical', () => {
  expect(readRelayFrame('{"type":"compress"}')).toEqual({ kind: 'ignored' })
  expect(readRelayFrame('{"type":"compress","critical":true}')).toMatchObject({ kind: 'refused', why: 'unsupported' })
})

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s counts as an unknown type', (type) => {
  expect(readAgentFrame(JSON.stringify({ type }))).toEqual({ kind: 'ignored' })
})

test('each end reads only the frames of the other', () => {
  expect(readRelayFrame('{"type":"stored","upto":0}')).toMatchObject({ kind: 'frame' })
  expect(readAgentFrame('{"type":"stored","upto":0}')).toEqual({ kind: 'ignored' })
})

test('refuses a frame that is too large without parsing it', () => {
  expect(readAgentFrame(' '.repeat(maxFrameBytes + 1))).toMatchObject({ kind: 'refused', why: 'too-much' })
})

test('does not count brackets in strings as nesting', () => {
  const text = JSON.stringify({ type: 'ping', number: 1, words: `${'['.repeat(99)}\\"${'{'.repeat(99)}` })
  expect(readAgentFrame(text)).toMatchObject({ kind: 'frame' })
})

test('does not throw on any text', () => {
  const frames = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc
      .record({ type: fc.constantFrom('events', 'hello', 'pair', 'credit', 'welcome', 'command', 'ping') })
      .chain((frame) => fc.object().map((rest) => JSON.stringify({ ...rest, ...frame }))),
  )
  fc.assert(
    fc.property(frames, (text) => {
      for (const read of [readAgentFrame, readRelayFrame]) expect(read(text).kind).toMatch(/^(frame|ignored|refused)$/)
    }),
    { numRuns: 500 },
  )
})

test('counts bytes as UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(byteLength(text)).toBe(Buffer.byteLength(text))
    }),
  )
  expect(fitsFrame('水'.repeat(maxFrameBytes / 3))).toBe(true)
  expect(fitsFrame('水'.repeat(maxFrameBytes / 3 + 1))).toBe(false)
})
