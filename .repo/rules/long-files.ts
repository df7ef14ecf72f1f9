import { isGenerated, type Rule, readList, type Violation } from './repository-tree.ts'
import { lineAt, readSource } from './source-text.ts'

export const LONGEST = 400
export const LONG_FILES = '.repo/long-files.json'

interface LongFile {
  readonly lines: number
  readonly why: string
}

/**
 * Checks that a file of more than 400 lines is listed with its exact length and a reason. Entries may only be removed
 * or lowered: a file that became longer must be split, and the entry of a file that became shorter must be lowered.
 */
export const longFiles: Rule = (tree) => {
  const list = readList<LongFile>(tree, LONG_FILES)
  const violations: Violation[] = []
  for (const file of tree.files) {
    if (!/\.(ts|tsx|cjs|mjs)$/.test(file)) continue
    // Nobody reads the whole of a generated file.
    if (isGenerated(tree.read(file))) continue
    const lines = tree.read(file).split('\n').length - 1
    const listed = list[file]
    if (lines > LONGEST && !listed)
      violations.push({
        file,
        problem: `has ${lines} lines: split it by job, or list it in ${LONG_FILES} with a reason`,
      })
    if (listed && lines > listed.lines)
      violations.push({
        file,
        problem: `grew from ${listed.lines} to ${lines} lines: split it, because numbers in ${LONG_FILES} must not grow`,
      })
    if (listed && lines < listed.lines && lines > LONGEST)
      violations.push({
        file: LONG_FILES,
        problem: `allows ${listed.lines} lines for ${file}, which has ${lines}: lower the number`,
      })
    if (listed && lines <= LONGEST)
      violations.push({ file: LONG_FILES, problem: `still lists ${file}, which is short: remove the entry` })
  }
  for (const [file, { why }] of Object.entries(list)) {
    if (!tree.files.includes(file))
      violations.push({ file: LONG_FILES, problem: `lists ${file}, which does not exist` })
    if (!why) violations.push({ file: LONG_FILES, problem: `gives no reason for ${file}` })
  }
  return violations
}

const WIDEST_COMMENT = 120

/** Checks that no line of a comment is wider than the code may be. The formatter wraps code, but not comments. */
export const wideComments: Rule = (tree) => {
  const violations: Violation[] = []
  for (const file of tree.files.filter((name) => /\.(?:tsx?|[cm]?js)$/.test(name))) {
    const text = tree.read(file)
    if (isGenerated(text)) continue
    for (const { offset, text: comment } of readSource(file, text).comments) {
      const from = text.lastIndexOf('\n', offset) + 1
      const lines = text.slice(from, offset + comment.length).split('\n')
      const wide = lines.findIndex((line) => line.length > WIDEST_COMMENT && !line.includes('://'))
      if (wide < 0 || (wide === 0 && text.slice(from, offset).trim() !== '')) continue
      const line = lineAt(text, offset) + wide
      violations.push({ file, line, problem: `a comment is wider than ${WIDEST_COMMENT} characters: wrap it` })
    }
  }
  return violations
}
