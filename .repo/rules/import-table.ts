import { readManifest, workspacePackages } from './manifest.ts'
import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'

/**
 * Checks that the import table of docs/architecture.md and the dependencies of each manifest are the same. The linter
 * checks that code imports only packages that its manifest lists (`noUndeclaredDependencies`).
 */
export const importTable: Rule = (tree) => {
  const table = readTable(tree)
  if (table.size === 0) return [{ file: DOCUMENT, problem: `has no table under "## ${HEADING}"` }]
  const violations: Violation[] = []
  const projects = tree.files.filter((file) => /^(apps|libs|packages)\/[^/]+\/package\.json$/.test(file))
  for (const file of projects) {
    const [folder = '', project = ''] = file.split('/')
    const row = table.get(project)
    if (!row) violations.push({ file: DOCUMENT, problem: `${project} is missing from the import table` })
    else violations.push(...compare(file, folder, row, tree))
  }
  const known = new Set(projects.map((file) => file.split('/')[1]))
  for (const project of table.keys()) {
    if (!known.has(project))
      violations.push({ file: DOCUMENT, problem: `the import table names ${project}, which does not exist` })
  }
  return violations
}

const DOCUMENT = 'docs/architecture.md'
const HEADING = 'Who may import whom'

interface Row {
  readonly imports: readonly string[]
  readonly testsAlsoImport: readonly string[]
}

/**
 * Rows have the form `| name | imports | tests also import |`. Names are in backticks, and a dash means that there are
 * none.
 */
function readTable(tree: RepositoryTree): Map<string, Row> {
  const rows = new Map<string, Row>()
  const section = tree.read(DOCUMENT).split(`## ${HEADING}\n`)[1]?.split('\n## ')[0] ?? ''
  for (const line of section.split('\n')) {
    const cells = line.split('|').slice(1, -1).map(namesIn)
    const [name] = cells[0] ?? []
    if (name) rows.set(name, { imports: cells[1] ?? [], testsAlsoImport: cells[2] ?? [] })
  }
  return rows
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([a-z0-9-]+)`/g)].map((match) => match[1] ?? '')
}

function compare(file: string, folder: string, row: Row, tree: RepositoryTree): Violation[] {
  const manifest = readManifest(tree, file)
  const violations: Violation[] = []
  const pairs = [
    ['dependencies', row.imports],
    ['devDependencies', row.testsAlsoImport],
  ] as const
  for (const [key, allowed] of pairs) {
    const listed = workspacePackages(manifest[key])
    for (const name of listed) {
      if (!allowed.includes(name))
        violations.push({ file, problem: `${key} lists ${name}, which the import table does not allow` })
    }
    for (const name of allowed) {
      if (!listed.includes(name))
        violations.push({ file, problem: `${key} does not list ${name}, which the import table names` })
    }
    if (folder === 'libs') {
      for (const name of listed) {
        if (tree.files.includes(`apps/${name}/package.json`))
          violations.push({ file, problem: `a lib may not depend on the app ${name}` })
      }
    }
  }
  return violations
}
