/**
 * Replaces NUL and lone surrogates with U+FFFD. Received messages may contain them, but PostgreSQL cannot store them.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd')
}

/** Replaces NUL and lone surrogates in every text of a value for a `jsonb` column. */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storableJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), storableJson(member)]))
}
