import { posix } from 'node:path'
import type { Rule, Violation } from './repository-tree.ts'
import { readSource } from './source-text.ts'

/**
 * Checks that a relative import stays inside its project. Other projects are imported by package name, so that the
 * rules of the manifest, `exports` and the import table apply. Only tests import tests.
 */
export const relativeImports: Rule = (tree) => {
  const violations: Violation[] = []
  for (const file of tree.files.filter((name) => /\.[cm]?[jt]sx?$/.test(name))) {
    for (const { specifier, line } of readSource(file, tree.read(file)).imports) {
      const problem = problemOf(file, specifier)
      if (problem) violations.push({ file, line, problem })
    }
  }
  return violations
}

function problemOf(file: string, specifier: string): string | undefined {
  if (/^(?:\/|file:)/.test(specifier)) return `imports ${specifier}: a path that exists only on one machine`
  if (!specifier.startsWith('.')) return undefined
  const target = posix.join(posix.dirname(file), specifier)
  if (target.split('/').includes('node_modules')) return `imports ${specifier}: use the package's name`
  if (projectOf(file) !== projectOf(target))
    return `imports ${specifier}, which is in another project: import that project by its package name`
  if (TEST.test(target) && !TEST.test(file)) return `imports ${specifier}: only tests may import tests`
  return undefined
}

const TEST = /\.test\.ts$/

/** `.config` and `.repo` are treated as one project. */
function projectOf(path: string): string {
  const [top = '', name = '', ...rest] = path.split('/')
  if (['apps', 'libs', 'packages'].includes(top)) return rest.length > 0 ? `${top}/${name}` : path
  return top === '.config' ? '.repo' : top
}
