import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'

export const LONGEST = 400
export const LIST = '.repo/long-files.json'

/** The first line of a file that a tool generates. Such a file may be long, because nobody reads the whole file. */
const GENERATED = /^\/\/ Generated /

interface LongFile {
  readonly lines: number
  readonly why: string
}

/**
 * Checks that a file of more than 400 lines is listed with its exact length and a reason. Entries may only be removed
 * or lowered: a file that became longer must be split, and the entry of a file that became shorter must be lowered.
 */
export const longFiles: Rule = (tree) => {
  const list = readList(tree)
  const violations: Violation[] = []
  for (const file of tree.files) {
    if (!/\.(ts|tsx|cjs|mjs)$/.test(file)) continue
    if (GENERATED.test(tree.read(file))) continue
    const lines = tree.read(file).split('\n').length - 1
    const listed = list[file]
    if (lines > LONGEST && !listed)
      violations.push({ file, problem: `has ${lines} lines: split it by job, or list it in ${LIST} with a reason` })
    if (listed && lines > listed.lines)
      violations.push({
        file,
        problem: `grew from ${listed.lines} to ${lines} lines: split it, do not raise ${LIST}, which only shrinks`,
      })
    if (listed && lines < listed.lines && lines > LONGEST)
      violations.push({
        file: LIST,
        problem: `says ${listed.lines} lines for ${file}, which has ${lines} now: lower it`,
      })
    if (listed && lines <= LONGEST) violations.push({ file: LIST, problem: `still lists ${file}, which is short now` })
  }
  for (const [file, { why }] of Object.entries(list)) {
    if (!tree.files.includes(file)) violations.push({ file: LIST, problem: `lists ${file}, which does not exist` })
    if (!why) violations.push({ file: LIST, problem: `gives no reason for ${file}` })
  }
  return violations
}

function readList(tree: RepositoryTree): Record<string, LongFile> {
  return tree.files.includes(LIST) ? JSON.parse(tree.read(LIST)) : {}
}
