/**
 * Splits phone numbers that are separated by commas. A `+` that was not encoded arrives as a space, so when the text
 * begins with a space, a space before a digit stands for `+`.
 */
export function numbersInParameter(text: string): string[] {
  const plus = text.startsWith(' ') ? '+' : ''
  return text
    .split(',')
    .map((number) => number.replace(/^ (?=\d)/, plus).trim())
    .filter((number) => number !== '')
}
