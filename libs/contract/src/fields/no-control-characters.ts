/**
 * Accepts texts without C0 control characters and DEL. Uses a plain range instead of a Unicode class, because
 * OpenAPI publishes the pattern, and few client languages support such classes.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that the pattern excludes
export const noControlCharacters = /^[^\u0000-\u001f\u007f]*$/
