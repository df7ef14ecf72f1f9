import { expect, test } from 'vitest'
import { pictureSize } from './picture-size.ts'

// The beginnings of pictures that Chromium has encoded. The files of its WebP encoder begin with the extended header,
// so the simple files are put together from the chunks in them.
const ascii = (text: string) => Buffer.from(text).toString('hex')
const extended = (flags: string, width: string, height: string) =>
  `${ascii('RIFF')}00000000${ascii('WEBPVP8X')}0a000000${flags}000000${width}${height}`
const simple = (chunk: string) => `${ascii('RIFF')}00000000${ascii('WEBP')}${chunk}`

test.each([
  ['PNG', '89504e470d0a1a0a0000000d494844520000012c00000011', 300, 17],
  ['GIF', `${ascii('GIF89a')}2c0111008000`, 300, 17],
  ['WebP with an extended header', extended('30', '270000', '0e0100'), 40, 271],
  ['lossy WebP', simple('5650382052000000f004009d012a2c0111003f71'), 300, 17],
  ['lossless WebP', simple('5650384c110000002f208040000750c43257a4ff'), 33, 259],
  ['JPEG', 'ffd8ffc00011080103002103012200021101031101', 33, 259],
  ['JPEG with other segments before the frame', 'ffd8ffe000040000ffffe10003ffffc2000b0801030021030122', 33, 259],
])('the beginning of a %s states its width and height', (_, hex, width, height) => {
  expect(pictureSize(Buffer.from(hex, 'hex'))).toEqual({ width, height })
})

test.each([
  ['an empty file', ''],
  ['a PNG that has only begun', '89504e470d0a1a0a0000000d49484452'],
  ['a JPEG whose preview has not arrived in full', 'ffd8ffe1fffe00'],
  ['a JPEG that ends before a frame', 'ffd8ffd9'],
  ['a text', ascii('<svg width="9" height="9"/>')],
])('%s has no known size', (_, hex) => {
  expect(pictureSize(Buffer.from(hex, 'hex'))).toBeUndefined()
})

test('a file that claims a huge picture is recognised without decoding it', () => {
  const bomb = Buffer.from('89504e470d0a1a0a0000000d494844520000f0000000f000', 'hex')
  expect(pictureSize(bomb)).toEqual({ width: 61_440, height: 61_440 })
})
