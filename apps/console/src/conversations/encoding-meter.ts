import { chooseEncoding } from '@smsgw/sms/segmentation/choose-encoding'

/** Encoding and number of parts, counted as the modem will. */
export interface EncodingMeter {
  readonly encoding: 'GSM-7' | 'UCS-2'
  readonly parts: number
  /** The number of units that still fit into the last part. Some characters take two units. */
  readonly left: number
  readonly perPart: number
  /** The characters that are not in GSM-7 and so force UCS-2, each once. */
  readonly culprits: readonly string[]
  /**
   * The text in GSM-7 characters, and how many parts it saves. Undefined if the original text already is GSM-7 or
   * cannot be converted.
   */
  readonly plain: { readonly text: string; readonly partsSaved: number } | undefined
}

/** The largest number of parts that the standard allows. */
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

/** Returns a character with its code, for example “ (U+201C), because many characters look alike. */
export function characterWords(character: string): string {
  const codes = Array.from(character, (part) => `U+${part.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`)
  return `${character} (${codes.join(' ')})`
}

function plainSpelling(text: string, parts: number): EncodingMeter['plain'] {
  const plain = chooseEncoding(text, { transliterate: true })
  return plain.encoding === 'gsm7' ? { text: plain.text, partsSaved: parts - plain.parts } : undefined
}
