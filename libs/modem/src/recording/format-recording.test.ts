import { readRecording } from '@smsgw/virtual-modem/replay/recording'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DialogueRecorder } from './dialogue-recorder.ts'
import { formatRecording } from './format-recording.ts'

test('a written recording is read back unchanged', () => {
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

test.each([
  ['without line ends', 0xff],
  ['of short lines', 0x0a],
])('limits the recording of a modem that sends noise %s', (_, byte) => {
  const recorder = new DialogueRecorder()
  for (let i = 0; i < 1_000_000; i += 1) recorder.received(Uint8Array.of(0x80, byte))
  const { sections } = readRecording(formatRecording(['Captured from one test.'], recorder.sections))
  expect(sections[0]?.lines.length).toBeGreaterThan(400)
})
