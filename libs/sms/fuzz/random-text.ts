import type { SegmentOptions } from '../src/segmentation/segment.ts'
import type { FuzzRandom } from './random.ts'

/** Returns a text that mixes pieces of one to three kinds of common and difficult text. */
export function randomText(random: FuzzRandom): string {
  const kinds = Array.from({ length: random.between(1, 3) }, () => random.oneOf(pieces))
  const count = random.below(random.once(50) ? 1200 : 90)
  let text = ''
  for (let index = 0; index < count; index++) text += random.oneOf(kinds)(random)
  return text
}

export function randomSegmentOptions(random: FuzzRandom): SegmentOptions {
  const languages = Array.from({ length: random.below(4) }, () => random.below(16))
  const ports = { width: random.oneOf([8, 16] as const), destination: random.below(256), source: random.below(256) }
  return {
    reference: random.below(256),
    ...(random.once(2) ? { referenceWidth: random.oneOf([8, 16] as const) } : {}),
    ...(random.once(2) ? { nationalShifts: languages } : {}),
    ...(random.once(2) ? { transliterate: random.once(2) } : {}),
    ...(random.once(4) ? { ports } : {}),
    ...(random.once(4) ? { encoding: random.oneOf(['gsm7', 'ucs2'] as const) } : {}),
    ...(random.once(4) ? { maxParts: random.between(1, 10) } : {}),
    ...(random.once(4) ? { messageClass: random.oneOf([0, 1, 2, 3] as const) } : {}),
  }
}

const pieces: readonly ((random: FuzzRandom) => string)[] = [
  (random) => random.oneOf([...'abc xyz 0123 .,!?@£$_\n']),
  (random) => random.oneOf([...'^{}\\[~]|€\f']),
  (random) => random.oneOf([...'ğşıİçÇãõâêúíóñÁ']),
  (random) => random.oneOf([...'“”‘’–—…•«»ﬁœÆ\u00a0\u200b']),
  (random) => random.oneOf([...'яжщΩψ你好世界אבعربहिन्दीবাংলা']),
  (random) => random.oneOf(['😀', '👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', 'e\u0301', '\u0301', '\u200d', '\ufe0f', '❤️']),
  (random) => random.oneOf(['α', 'η\u0301', '\u{1d242}', '\u{1d243}', '\u0342', '\u{10140}']),
  (random) => random.oneOf(['\ud83d', '\ude00', '\udbff', '\udc00']),
  (random) => String.fromCharCode(random.below(0x1_0000)),
  (random) => String.fromCodePoint(random.below(0x11_0000)),
  (random) => String.fromCharCode(random.below(0x80)),
]
