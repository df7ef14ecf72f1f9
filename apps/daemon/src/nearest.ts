/**
 * Returns the name that the user probably meant: the only name that begins with the word, or the name with the fewest
 * changed letters.
 */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const beginning = names.filter((name) => name.startsWith(word))
  if (word.replaceAll('-', '').length > 1 && beginning.length === 1) return beginning[0]
  const letters = word.replace(/^-+/, '').length
  const limit = letters < 3 ? 0 : Math.max(1, Math.floor(letters / 3))
  const [best] = names
    .filter((name) => name !== '')
    .map((name) => ({ name, changes: changesBetween(word, name) }))
    .filter(({ changes }) => changes <= limit)
    .sort((one, other) => one.changes - other.changes)
  return best?.name
}

/** Returns the number of inserted, deleted, replaced and swapped letters. */
function changesBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          (row[j - 1] ?? 0) + 1,
          at(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    rows.push(row)
  }
  return at(one.length, other.length)

  function at(i: number, j: number): number {
    return rows[i]?.[j] ?? 0
  }
}
