import { posix } from 'node:path'
import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'
import { readSource } from './source-text.ts'

const DOCUMENT = 'docs/architecture.md'
const MOST_FILES = 15

/**
 * The data paths in docs/architecture.md are correct: each file exists, and of two consecutive files, one imports the other
 * or the third column names their connection, which is an earlier row that calls the file, a file that both import, or a
 * file that imports both.
 */
export const dataPaths: Rule = (tree) => {
  if (!tree.files.includes(DOCUMENT)) return []
  return pathsIn(tree.read(DOCUMENT)).flatMap((rows) => [
    ...(rows.length > MOST_FILES
      ? [violation(rows[0], `begins a path of ${rows.length} files; the maximum is ${MOST_FILES}`)]
      : []),
    ...rows.flatMap((row, index) => problemsOf(tree, rows, row, index).map((problem) => violation(row, problem))),
  ])
}

interface Row {
  readonly line: number
  readonly file: string
  readonly joinedBy: string
}

/** Tables with the columns `#`, `File`, `Joined by` and the explanation. */
function pathsIn(document: string): Row[][] {
  const paths: Row[][] = []
  for (const [index, text] of document.split('\n').entries()) {
    if (/^\| # \| File \| Joined by \|/.test(text)) paths.push([])
    const [, file, joinedBy = ''] = /^\| \d+ \| `([^`]+)` \|([^|]*)\|/.exec(text) ?? []
    if (file !== undefined) paths.at(-1)?.push({ line: index + 1, file, joinedBy: joinedBy.replaceAll('`', '').trim() })
  }
  return paths
}

function problemsOf(tree: RepositoryTree, rows: readonly Row[], { file, joinedBy }: Row, index: number): string[] {
  if (!tree.files.includes(file)) return [`names ${file}, which does not exist`]
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

function areJoined(tree: RepositoryTree, one: string, other: string): boolean {
  return importedFiles(tree, one).includes(other) || importedFiles(tree, other).includes(one)
}

function importedFiles(tree: RepositoryTree, file: string): string[] {
  return readSource(file, tree.read(file)).imports.map(({ specifier }) => {
    const [, project, rest] = /^@smsgw\/([^/]+)\/(.+)$/.exec(specifier) ?? []
    if (project === undefined) return posix.join(posix.dirname(file), specifier)
    const top = tree.files.some((name) => name.startsWith(`libs/${project}/`)) ? 'libs' : 'apps'
    return `${top}/${project}/src/${rest}.ts`
  })
}

function violation(row: Row | undefined, problem: string): Violation {
  return { file: DOCUMENT, ...(row && { line: row.line }), problem }
}
