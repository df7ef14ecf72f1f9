import { posix } from 'node:path'
import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'
import { readSource } from './source-text.ts'

const DOCUMENT = 'docs/architecture.md'
const MOST_FILES = 15

/**
 * Checks the data paths in docs/architecture.md. Each file must exist. Of two consecutive files, one must import the
 * other. Otherwise, the third column must name the connection: an earlier row that calls the file, a file that both
 * import, or a file that imports both. The comment at the top of each file must name the next file.
 */
export const dataPaths: Rule = (tree) => {
  if (!tree.files.includes(DOCUMENT)) return []
  return pathsIn(tree.read(DOCUMENT)).flatMap((rows) => [
    ...(rows.length > MOST_FILES
      ? [violation(rows[0], `begins a data path through ${rows.length} files; the maximum is ${MOST_FILES}`)]
      : []),
    ...rows.flatMap((row, index) => problemsOf(tree, rows, row, index).map((problem) => violation(row, problem))),
  ])
}

interface Row {
  readonly line: number
  readonly file: string
  readonly joinedBy: string
}

/** Returns the tables with the columns `#`, `File`, `Joined by` and the explanation. */
function pathsIn(document: string): Row[][] {
  const paths: Row[][] = []
  for (const [index, text] of document.split('\n').entries()) {
    if (/^\| # \| File \| Joined by \|/.test(text)) paths.push([])
    const [, file, joinedBy = ''] = /^\| \d+ \| `([^`]+)` \|([^|]*)\|/.exec(text) ?? []
    if (file !== undefined) paths.at(-1)?.push({ line: index + 1, file, joinedBy: joinedBy.replaceAll('`', '').trim() })
  }
  return paths
}

function problemsOf(tree: RepositoryTree, rows: readonly Row[], row: Row, index: number): string[] {
  if (!tree.files.includes(row.file)) return [`names ${row.file}, which does not exist`]
  return [...unjoined(tree, rows, row, index), ...unnamedNext(tree, row.file, rows[index + 1]?.file)]
}

function unjoined(tree: RepositoryTree, rows: readonly Row[], { file, joinedBy }: Row, index: number): string[] {
  const numbered = /^row (\d+)$/.exec(joinedBy)?.[1]
  const before = rows[numbered === undefined ? index - 1 : Number(numbered) - 1]
  if (index === 0 || before === undefined || !tree.files.includes(before.file)) return []
  if (numbered !== undefined || joinedBy === '')
    return areJoined(tree, before.file, file) ? [] : [`neither ${before.file} nor ${file} imports the other`]
  if (!tree.files.includes(joinedBy)) return [`names ${joinedBy}, which does not exist`]
  return [before.file, file]
    .filter((one) => !areJoined(tree, one, joinedBy))
    .map((one) => `neither ${one} nor ${joinedBy} imports the other`)
}

function unnamedNext(tree: RepositoryTree, file: string, next: string | undefined): string[] {
  if (next === undefined || !tree.files.includes(next)) return []
  const opening = /^(?:\/\/.*\n)*/.exec(tree.read(file))?.[0] ?? ''
  return opening.includes(` ${posix.basename(next)}.`)
    ? []
    : [`the comment at the top of ${file} does not name ${posix.basename(next)}`]
}

function areJoined(tree: RepositoryTree, one: string, other: string): boolean {
  return importedFiles(tree, one).includes(other) || importedFiles(tree, other).includes(one)
}

/** Returns the files of the repository that a file imports. */
export function importedFiles(tree: RepositoryTree, file: string): string[] {
  return readSource(file, tree.read(file)).imports.map(({ specifier }) => {
    const [, project, rest] = /^@smsgw\/([^/]+)\/(.+)$/.exec(specifier) ?? []
    if (project === undefined) return posix.join(posix.dirname(file), specifier)
    const kind = ['libs', 'packages'].find((one) => tree.files.some((name) => name.startsWith(`${one}/${project}/`)))
    return `${kind ?? 'apps'}/${project}/src/${rest}.ts`
  })
}

function violation(row: Row | undefined, problem: string): Violation {
  return { file: DOCUMENT, ...(row && { line: row.line }), problem }
}
