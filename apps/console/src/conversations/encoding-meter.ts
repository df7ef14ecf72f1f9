import { chooseEncoding } from '@smsgw/sms/segmentation/choose-encoding'

/** What the text costs on the air, as the modem will count it. */
export interface EncodingMeter {
  readonly encoding: 'GSM-7' | 'UCS-2'
  readonly parts: number
  /** Units that still fit without another part: characters, or two for those that take two. */
  readonly left: number
  readonly perPart: number
  /** The characters, each once, that GSM-7 cannot write: they cost everything else room. */
  readonly culprits: readonly string[]
  /** The same in plain characters, and what that saves, where it saves anything. */
  readonly plain: { readonly text: string; readonly partsSaved: number } | undefined
}

/** The standard's counter of parts ends here. */
export const mostParts = 255

export function meterOf(text: string): EncodingMeter {
  const { encoding, parts, units, unitsPerPart, forcedUcs2By } = chooseEncoding(text, {})
  return {
    encoding: encoding === 'gsm7' ? 'GSM-7' : 'UCS-2',
    parts,
    left: parts * unitsPerPart - units.length,
    perPart: unitsPerPart,
    culprits: forcedUcs2By,
    plain: encoding === 'gsm7' ? undefined : plainSpelling(text, parts),
  }
}

/** “ (U+201C): what it looks like may not tell it from another. */
export function characterWords(character: string): string {
  const codes = Array.from(character, (part) => `U+${part.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`)
  return `${character} (${codes.join(' ')})`
}

function plainSpelling(text: string, parts: number): EncodingMeter['plain'] {
  const plain = chooseEncoding(text, { transliterate: true })
  return plain.encoding === 'gsm7' ? { text: plain.text, partsSaved: parts - plain.parts } : undefined
}
