import { anyCharacter } from '@smsgw/sms/testing/any-character'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_RECORDING_BYTES, RecordingError, readRecording } from './recording.ts'

const head = '# smsgw recording 1\n# Composed from manuals.\n'
const body = '= start\n> AT\n< OK\n'

test('reads origin, device, profile and sections', () => {
  const text = `${head}# usb 2c7c:0125\n# profile quectel\n\n= start\n< RDY\n> AT\n< OK\n= send\n> 00AF^Z\n< caf\\xe9 \\\\\n`
  expect(readRecording(text)).toEqual({
    kind: 'composed',
    usb: '2c7c:0125',
    profile: 'quectel',
    sections: [
      {
        name: 'start',
        lines: [
          { from: 'modem', text: 'RDY' },
          { from: 'host', text: 'AT' },
          { from: 'modem', text: 'OK' },
        ],
      },
      {
        name: 'send',
        lines: [
          { from: 'host', text: '00AF\x1a' },
          { from: 'modem', text: 'café \\' },
        ],
      },
    ],
  })
})

test.each([
  ['', 'line 1 must be'],
  [body, 'line 1 must be'],
  ['GIF89a\0\0', 'line 1 must be'],
  [`${head}= start\n> AT\0\n`, 'line 4 contains a character that is not printable ASCII'],
  [`${head}= start\r\n> AT\r\n`, 'line 3 contains a character that is not printable ASCII'],
  [`${head}= start\n< \u202e\n`, 'line 4 contains a character'],
  [`${head}= ../../etc/passwd\n> AT\n`, 'line 3 is not a valid section name'],
  [`${head}# usb ../../sys\n${body}`, 'must look like "# usb 2c7c:0125"'],
  [`${head}# profile ../secret\n${body}`, 'must look like "# profile quectel"'],
  [`${head}${body}${body}`, 'line 6 repeats the section start'],
  [`${head}> AT\n`, 'line 3 is before the first section'],
  [`${head}= start\nAT\n`, 'line 4 must begin with'],
  [`${head}= start\n> AT\\q\n`, 'line 4 has a backslash'],
  [`${head}= start\n> ${'A'.repeat(5_000)}\n`, 'line 4 is longer than 4096 characters'],
  [`${head}= start\n`, 'has no dialogue'],
  [`# smsgw recording 1\n${body}`, 'has no remark "# Composed from …"'],
  [`${head}= start\n${'> AT\n'.repeat(60_000)}`, 'has more than 50000 lines'],
  ['x'.repeat(MAX_RECORDING_BYTES + 1), 'is larger than'],
])('refuses %# with one clear error', (text, problem) => {
  expect(() => readRecording(text)).toThrow(RecordingError)
  expect(() => readRecording(text)).toThrow(problem)
})

test('refuses all other files with a RecordingError', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), fc.boolean(), (text, isBegun) => {
      try {
        readRecording((isBegun ? head + body : '') + text)
      } catch (error) {
        expect(error).toBeInstanceOf(RecordingError)
      }
    }),
  )
})
