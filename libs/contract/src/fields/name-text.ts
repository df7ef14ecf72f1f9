import { z } from 'zod'
import { noControlCharacters } from './no-control-characters.ts'

/**
 * A name on one line that people give to a thing. Formatting characters are refused because invisible and bidirectional
 * ones make a name look like another name. Joiners (U+200C, U+200D) are kept because Persian, Hindi and emoji need them.
 */
export function nameText(maximum: number) {
  return (
    z
      .string()
      .trim()
      .max(maximum)
      .regex(noControlCharacters, { error: 'must not contain control characters', abort: true })
      // Not a pattern, because few languages of clients have these classes of characters.
      .refine((text) => !UNSAFE.test(text), 'must not contain control or formatting characters')
  )
}

/** Removes the characters that `nameText` refuses: for names that programs report, which must not be refused for them. */
export function withoutUnsafe(name: string): string {
  return name.replace(EACH_UNSAFE, '').trim()
}

const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const EACH_UNSAFE = new RegExp(UNSAFE, 'gu')
