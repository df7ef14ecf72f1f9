/**
 * Accepts texts without C0 control characters and DEL. A plain range and not a Unicode class, because OpenAPI publishes it
 * as a pattern, and few languages of clients have such classes.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that the pattern excludes
export const noControlCharacters = /^[^\u0000-\u001f\u007f]*$/
