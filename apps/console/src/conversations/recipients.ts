/**
 * Returns the numbers in a field. They are separated by commas, semicolons, tabs or new lines, and may be in quotes.
 * Each number is returned once.
 */
export function numbersIn(text: string): readonly string[] {
  const numbers = text
    .split(/[,;\t\r\n]+/)
    .map((number) =>
      number
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .trim(),
    )
    .filter((number) => number !== '')
  return [...new Map(numbers.map((number) => [number.replace(/[\s().-]/g, ''), number])).values()]
}

/**
 * Pastes a column of numbers. A field of one line would remove the new lines, and so join the numbers.
 * @returns the text of the field and the position of the cursor, or undefined if the browser can paste the text itself
 */
export function pastedColumn(
  pasted: string,
  { value, start, end }: { readonly value: string; readonly start: number; readonly end: number },
): { readonly text: string; readonly cursor: number } | undefined {
  if (!/[\t\r\n]/.test(pasted.trim())) return undefined
  const before = value.slice(0, start).trimEnd()
  const after = value.slice(end).trimStart()
  const glue = before === '' || /[,;]$/.test(before) ? ' ' : ', '
  const upToCursor = `${before}${glue}${numbersIn(pasted).join(', ')}`.trimStart()
  return {
    text: after === '' ? upToCursor : `${upToCursor}, ${after.replace(/^[,;]\s*/, '')}`,
    cursor: upToCursor.length,
  }
}
