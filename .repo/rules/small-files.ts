import { importedFiles } from './data-paths.ts'
import { LONGEST } from './long-files.ts'
import { isGenerated, type RepositoryTree, type Rule, readList, type Violation } from './repository-tree.ts'

const SMALLEST = 40
export const SMALL_FILES = '.repo/small-files.json'

/**
 * Matches tests, declarations, SQL statements and house rules, which each have their own file, and the tables of
 * languages.
 */
const NOT_COUNTED = /(?:\.test|\.e2e|\.d|-statement)\.tsx?$|\/national-tables\/|^\.repo\/rules\//

/**
 * Reports each file of less than 40 lines that only one file imports. Its code should be in that importer, so that a
 * reader who follows a request has to open few files. The file may stay if the importer would become too long, or if
 * the importer is in another project. Any other exception is listed with a reason.
 */
export const smallFiles: Rule = (tree) => {
  const list = readList<string>(tree, SMALL_FILES)
  const small = findSmallFiles(tree)
  const violations: Violation[] = []
  for (const [file, importer] of small) {
    if (!(file in list))
      violations.push({
        file,
        problem: `is short, and only ${importer} imports it: move it there, or list it in ${SMALL_FILES} with a reason`,
      })
  }
  for (const [file, why] of Object.entries(list)) {
    if (!small.has(file))
      violations.push({ file: SMALL_FILES, problem: `still lists ${file}, which needs no exception: remove the entry` })
    if (!why) violations.push({ file: SMALL_FILES, problem: `gives no reason for ${file}` })
  }
  return violations
}

/** Returns the small files that could be part of their only importer, with the importer. */
function findSmallFiles(tree: RepositoryTree): Map<string, string> {
  const sources = tree.files.filter((file) => /\.tsx?$/.test(file))
  const importers = new Map<string, string[]>()
  for (const file of sources) {
    for (const imported of new Set(importedFiles(tree, file))) {
      if (!isOwnTest(file, imported)) importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
  }
  const lines = (file: string) => tree.read(file).split('\n').length - 1
  const small = new Map<string, string>()
  for (const file of sources) {
    const [importer, ...others] = importers.get(file) ?? []
    if (importer === undefined || others.length > 0 || NOT_COUNTED.test(file) || isGenerated(tree.read(file))) continue
    if (projectOf(file) !== projectOf(importer) || lines(file) + lines(importer) > LONGEST) continue
    if (lines(file) < SMALLEST) small.set(file, importer)
  }
  return small
}

function isOwnTest(test: string, file: string): boolean {
  return test.replace(/\.test\.tsx?$/, '') === file.replace(/\.tsx?$/, '')
}

function projectOf(file: string): string {
  return /^(?:apps|libs|packages)\/[^/]+/.exec(file)?.[0] ?? file.split('/', 1).join()
}
