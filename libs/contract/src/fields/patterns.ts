// Patterns of texts in requests. OpenAPI publishes them.

/**
 * Accepts texts without C0 control characters and DEL. Uses a plain range instead of a Unicode class, because
 * OpenAPI publishes the pattern, and few client languages support such classes.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that the pattern excludes
export const noControlCharacters = /^[^\u0000-\u001f\u007f]*$/

/** The PIN of a SIM. */
export const pinPattern = /^\d{4,8}$/

/** A phone number, or the beginning of phone numbers with an asterisk at the end. */
export const recipientPattern = /^\+?\d{1,20}\*?$/

export const timeOfDayPattern = /^(?:[01]\d|2[0-3]):[0-5]\d$/
