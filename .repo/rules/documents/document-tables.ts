import type { Rule, Violation } from '../repository-tree.ts'

/**
 * Checks that each row of a Markdown table has as many cells as the header. Otherwise the table hides cells, for
 * example after two rows were joined.
 */
export const documentTables: Rule = (tree) => {
  const violations: Violation[] = []
  for (const file of tree.files.filter((name) => name.endsWith('.md'))) {
    let isCode = false
    let columns: number | undefined
    for (const [index, text] of tree.read(file).split('\n').entries()) {
      const row = text.trim()
      if (row.startsWith('```')) isCode = !isCode
      if (isCode || !row.startsWith('|')) {
        columns = undefined
        continue
      }
      const cells = cellsOf(row)
      columns ??= cells
      if (cells !== columns)
        violations.push({ file, line: index + 1, problem: `the row has ${cells} cells, the header has ${columns}` })
    }
  }
  return violations
}

/** A `\|` is part of a cell. */
function cellsOf(row: string): number {
  const bars = [...row.matchAll(/(?<!\\)\|/g)].length
  return row.endsWith('|') && !row.endsWith('\\|') ? bars - 1 : bars
}
