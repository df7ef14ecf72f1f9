export interface Figure {
  readonly project: string
  readonly what: string
  readonly values: string
}

/**
 * Parses a line of a benchmark: a name, then figures in columns or after a colon. Returns undefined for other lines.
 */
export function readFigure(project: string, line: string): Figure | undefined {
  const [first = '', ...columns] = line.trim().split(/\s{2,}/)
  if (columns.length > 0 && first !== '') return { project, what: first, values: columns.join(' · ') }
  const [, what, values] = /^(.+?): (.*\d.*)$/.exec(line.trim()) ?? []
  return what !== undefined && values !== undefined ? { project, what, values } : undefined
}

/** Returns a Markdown table with aligned columns, which is also readable as plain text. */
export function figureTable(figures: readonly Figure[]): string {
  const rows = [
    { project: 'project', what: 'what', values: 'figures' },
    ...figures.map((figure) => ({ ...figure, what: figure.what.replaceAll('|', '/') })),
  ]
  const width = (column: keyof Figure) => Math.max(...rows.map((row) => row[column].length))
  const [project, what, values] = [width('project'), width('what'), width('values')]
  const lines = rows.map(
    (row) => `| ${row.project.padEnd(project)} | ${row.what.padEnd(what)} | ${row.values.padEnd(values)} |`,
  )
  const rule = `|${'-'.repeat(project + 2)}|${'-'.repeat(what + 2)}|${'-'.repeat(values + 2)}|`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}
