import fc from 'fast-check'
import { expect, test } from 'vitest'
import { closeReason } from './close-reason.ts'

test('every reason fits into a close frame', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 100, maxLength: 300 }), (text) => {
      expect(Buffer.byteLength(closeReason(text))).toBeLessThanOrEqual(123)
    }),
  )
  expect(closeReason('telemetry: at ☎ expected string')).toBe('telemetry: at ? expected string')
})
