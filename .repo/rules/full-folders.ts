import { posix } from 'node:path'
import { type RepositoryTree, type Rule, readList, type Violation } from './repository-tree.ts'

const MOST = 15
export const FULL_FOLDERS = '.repo/full-folders.json'

/** Matches tests, end-to-end tests, declarations, and SQL statements, which must each have their own file. */
const NOT_COUNTED = /(?:\.test|\.e2e|\.d|-statement)\.tsx?$/

interface FullFolder {
  readonly files: number
  readonly why: string
}

/**
 * Checks that each folder with more than 15 source files is in the list, with the number of its files and a reason. A
 * folder that has grown must be divided by topic, and the entry of a folder that became smaller must be lowered.
 */
export const fullFolders: Rule = (tree) => {
  const list = readList<FullFolder>(tree, FULL_FOLDERS)
  const counts = countFiles(tree)
  const violations: Violation[] = []
  for (const [folder, files] of counts) {
    const allowed = list[folder]?.files ?? MOST
    if (files > allowed)
      violations.push({
        file: folder,
        problem: `has ${files} source files: divide it by topic, or list it in ${FULL_FOLDERS} with a reason`,
      })
  }
  for (const [folder, { files, why }] of Object.entries(list)) {
    const present = counts.get(folder) ?? 0
    if (present <= MOST)
      violations.push({
        file: FULL_FOLDERS,
        problem: `still lists ${folder}, which has only ${present} files: remove the entry`,
      })
    else if (present < files)
      violations.push({
        file: FULL_FOLDERS,
        problem: `allows ${files} files in ${folder}, which has ${present}: lower the number`,
      })
    if (!why) violations.push({ file: FULL_FOLDERS, problem: `gives no reason for ${folder}` })
  }
  return violations
}

function countFiles({ files }: RepositoryTree): Map<string, number> {
  const counts = new Map<string, number>()
  for (const file of files) {
    if (!/\.tsx?$/.test(file) || NOT_COUNTED.test(file)) continue
    const folder = posix.dirname(file)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return counts
}
