import type { FieldError } from '../http/api-error.ts'
import { type NumberRules, normaliseNumber } from './phone-number.ts'

export type MessageRecipients =
  | { readonly ok: true; readonly numbers: readonly string[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] }

/** The numbers as they will be dialled, each once. Encrypted ones stay as they are: only the agent can look at them. */
export function messageRecipients(asked: readonly string[], rules: NumberRules | 'encrypted'): MessageRecipients {
  if (rules === 'encrypted') return { ok: true, numbers: asked }
  const errors: FieldError[] = []
  const positions = new Map<string, number>()
  for (const [position, text] of asked.entries()) {
    const normalised = normaliseNumber(text, rules)
    const path = `phoneNumbers[${position}]`
    if (!normalised.ok) {
      errors.push({ path, message: normalised.reason })
      continue
    }
    const first = positions.get(normalised.number)
    if (first === undefined) positions.set(normalised.number, position)
    else errors.push({ path, message: `is the same number as phoneNumbers[${first}]` })
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, numbers: [...positions.keys()] }
}
