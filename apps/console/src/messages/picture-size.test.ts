import { expect, test } from 'vitest'
import { pictureSize } from './picture-size.ts'

// The first bytes of pictures that Chromium has encoded. Its WebP encoder always writes the extended header, so the
// test builds the simple WebP files from the chunks of such files.
const ascii = (text: string) => Buffer.from(text).toString('hex')
const extended = (flags: string, width: string, height: string) =>
  `${ascii('RIFF')}00000000${ascii('WEBPVP8X')}0a000000${flags}000000${width}${height}`
const gifScreen = (sizes: string, flags = '00', colours = '') => `${ascii('GIF89a')}${sizes}${flags}0000${colours}`
const simple = (chunk: string) => `${ascii('RIFF')}00000000${ascii('WEBP')}${chunk}`

test.each([
  ['PNG', '89504e470d0a1a0a0000000d494844520000012c00000011', 300, 17],
  ['GIF', `${gifScreen('2c011100')}2c000000002c01110000`, 300, 17],
  [
    'GIF with an extension before the frame',
    `${gifScreen('2c011100', '80', '000000ffffff')}21f9040000000000${'2c000000002c01110000'}`,
    300,
    17,
  ],
  ['GIF whose first frame is larger than the screen', `${gifScreen('01000100')}2c01000000ffffff0000`, 65_536, 255],
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
  // These markers have no length. A decoder skips them and uses the huge frame that follows. If their next octets were
  // read as a length, a small frame would be found instead.
  ...['ff01', 'ffd0', 'ffd7', 'ff00'].map((marker): [string, string] => [
    `a JPEG with the marker ${marker} before its frame`,
    [`ffd8${marker}ffc2000b0859d859d803012200`.padEnd(2 * 0xff_c6, '0'), 'ffc0000b080001000101012200'].join(''),
  ]),
  ['a JPEG that states its height later', 'ffd8ffc000110800000021030122000211010311'],
  ['a WebP that begins with an unknown chunk', simple('4a554e4b000000002fffffff0f00000000000001000100')],
  ['a JPEG whose segment has no room for its length', 'ffd8ffe00001ffc0001108000100010300'],
  ['a GIF whose first frame has not arrived', `${gifScreen('01000100')}21f90400`],
  ['a file that has PNG in another place', `00504e470d0a1a0a0000000d494844520000012c00000011`],
  ['a PNG without its header', `89504e470d0a1a0a0000000d6674797000000001000000010000`],
  ['a text', ascii('<svg width="9" height="9"/>')],
])('%s has no known size', (_, hex) => {
  expect(pictureSize(Buffer.from(hex, 'hex'))).toBeUndefined()
})

test('a file that claims a huge picture is recognised without decoding it', () => {
  const bomb = Buffer.from('89504e470d0a1a0a0000000d494844520000f0000000f000', 'hex')
  expect(pictureSize(bomb)).toEqual({ width: 61_440, height: 61_440 })
})
