/** PostgreSQL holds neither NUL nor half a surrogate pair, and both can come from the air: U+FFFD stands for them. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd')
}

/** The same for every text in a value that becomes `jsonb`. */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storableJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), storableJson(member)]))
}
