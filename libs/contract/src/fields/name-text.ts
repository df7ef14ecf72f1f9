import { z } from 'zod'
import { noControlCharacters } from './patterns.ts'
import { withReason } from './problem-reason.ts'

/**
 * A name on one line that people give to a thing. Formatting characters are refused because invisible and bidirectional
 * ones make a name look like another name. Joiners (U+200C, U+200D) are kept because Persian, Hindi and emoji need
 * them.
 */
export function nameText(maximum: number) {
  return (
    z
      .string()
      .trim()
      .max(maximum)
      .regex(noControlCharacters, { error: 'must not contain control characters', abort: true })
      // A pattern in the schema would not work, because few client languages support these character classes.
      .refine((text) => !UNSAFE.test(text), {
        error: 'must not contain control or formatting characters',
        ...withReason('control_characters'),
      })
  )
}

/**
 * Removes the characters that `nameText` refuses. Used for names that programs report, because such names must always
 * be accepted.
 */
export function withoutUnsafe(name: string): string {
  return name.replace(EACH_UNSAFE, '').trim()
}

const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const EACH_UNSAFE = new RegExp(UNSAFE, 'gu')
