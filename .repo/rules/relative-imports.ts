import { posix } from 'node:path'
import type { Rule, Violation } from './repository-tree.ts'
import { lineAt, readSource } from './source-text.ts'

/**
 * A relative import stays inside its project. Other projects are imported by package name, so that the rules of the
 * manifest, `exports` and the import table apply. Only tests import tests.
 */
export const relativeImports: Rule = (tree) => {
  const violations: Violation[] = []
  for (const file of tree.files.filter((name) => /\.[cm]?[jt]sx?$/.test(name))) {
    for (const { specifier, line } of importsOf(tree.read(file))) {
      const problem = problemOf(file, specifier)
      if (problem) violations.push({ file, line, problem })
    }
  }
  return violations
}

interface Import {
  readonly specifier: string
  readonly line: number
}

/** All imports, re-exports and `require` calls with a literal name. */
export function importsOf(text: string): Import[] {
  const { code } = readSource(text)
  return [...code.matchAll(/\b(?:from\s*|(?:import|require)\s*\(?\s*)(?=(['"`])( *)\1)/g)].map((match) => {
    const start = match.index + match[0].length + 1
    return { specifier: text.slice(start, start + (match[2] ?? '').length), line: lineAt(text, match.index) }
  })
}

function problemOf(file: string, specifier: string): string | undefined {
  if (/^(?:\/|file:)/.test(specifier)) return `imports ${specifier}: a path that exists only on one machine`
  if (!specifier.startsWith('.')) return undefined
  const target = posix.join(posix.dirname(file), specifier)
  if (target.split('/').includes('node_modules')) return `imports ${specifier}: use the package's name`
  if (projectOf(file) !== projectOf(target))
    return `imports ${specifier}, which leaves the project: use its package name`
  if (TEST.test(target) && !TEST.test(file)) return `imports ${specifier}: only tests import tests`
  return undefined
}

const TEST = /\.test\.ts$/

/** `.config` and `.repo` count as one project. */
function projectOf(path: string): string {
  const [top = '', name = '', ...rest] = path.split('/')
  if (top === 'apps' || top === 'libs') return rest.length > 0 ? `${top}/${name}` : path
  return top === '.config' ? '.repo' : top
}
