/**
 * An alias is a text that an agent reports in place of a phone number, if the account hides senders from the relay. The
 * first 16 characters after `alias:` are the id of the key, the other characters are the encrypted number. Only the
 * agent and the owner of the account's key can decrypt it.
 */
export function isNumberAlias(text: string): boolean {
  return form.test(text)
}

/** Returns the id of the key that made the alias. */
export function aliasKeyId(alias: string): string {
  return alias.slice(aliasPrefix.length, codeAt)
}

/**
 * Returns the part of an alias by which people can distinguish it from other aliases. Returns undefined if the text is
 * not an alias.
 */
export function aliasCode(text: string): string | undefined {
  return isNumberAlias(text) ? text.slice(codeAt, codeAt + 6) : undefined
}

export const aliasPrefix = 'alias:'
/** 12 bytes in base64url. */
const keyIdLength = 16
const codeAt = aliasPrefix.length + keyIdLength

/** The form of the id of a key. */
export const aliasKeyIdForm = /^[A-Za-z0-9_-]{16}$/

/** 16 bytes of IV and 20, 40 or 60 bytes of ciphertext, in base64url. */
const form = /^alias:[A-Za-z0-9_-]{16}(?:[A-Za-z0-9_-]{48}|[A-Za-z0-9_-]{75}|[A-Za-z0-9_-]{102})$/
