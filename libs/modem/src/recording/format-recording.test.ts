import { readRecording } from '@smsgw/virtual-modem/replay/recording'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatRecording } from './format-recording.ts'

test('what is written is read again', () => {
  const bytes = fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
    maxLength: 60,
  })
  const line = fc.record({
    from: fc.constantFrom('host' as const, 'modem' as const),
    text: bytes.filter((text) => !text.endsWith('^Z')),
  })
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), (lines) => {
      const sections = [{ name: 'start', lines }]
      expect(readRecording(formatRecording(['Captured from one test.'], sections)).sections).toEqual(sections)
    }),
  )
})
