/** The numbers of a field: separated by commas, semicolons, tabs or new lines, in quotes or not, each once. */
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
 * A field of one line removes the new lines of pasted text, which would join the numbers of a column into one.
 * @returns the text of the field and the place of the cursor, or undefined if the browser can paste the text itself
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
