import { posix } from 'node:path'
import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'
import { lineAt, readSource } from './source-text.ts'

/**
 * Checks that every TypeScript file is compiled, by its project or by `.config`, and that no file is exempt from type
 * checks.
 */
export const typeChecked: Rule = (tree) => {
  const included = includedInRest(tree)
  const violations: Violation[] = []
  for (const file of tree.files.filter((name) => /\.[cm]?tsx?$/.test(name))) {
    const ships = /^(?:apps|libs|packages)\/[^/]+\/src\//.test(file) && !/\.test\.tsx?$/.test(file)
    if (!ships && !included.some((pattern) => posix.matchesGlob(file, pattern)))
      violations.push({ file, problem: `is not type-checked: ${REST} does not include it` })
    const text = tree.read(file)
    for (const { offset, text: comment } of readSource(file, text).comments) {
      const [, directive] = /^[/*\s]*(@ts-nocheck|@ts-ignore)\b/m.exec(comment) ?? []
      if (directive)
        violations.push({ file, line: lineAt(text, offset), problem: `silences the compiler (${directive})` })
    }
  }
  return violations
}

const REST = '.config/tsconfig.json'

function includedInRest(tree: RepositoryTree): string[] {
  const { include = [] } = JSON.parse(tree.read(REST)) as { include?: string[] }
  return include.map((pattern) => posix.join('.config', pattern))
}
