import type { Rule, Violation } from './repository-tree.ts'

/**
 * A lib touches nothing: time, chance and the world come in as arguments. The compiler proves most of it (libs see no
 * Node types, timers or console); what the language itself still offers is refused here.
 */
export const pureLibs: Rule = (tree) => {
  const violations: Violation[] = []
  for (const file of tree.files) {
    if (!/^libs\/[^/]+\/src\/.*\.ts$/.test(file) || /\.test\.ts$/.test(file)) continue
    for (const [index, line] of tree.read(file).split('\n').entries()) {
      const code = line.replace(/\/\/.*$/, '')
      for (const [pattern, problem] of REFUSED) {
        if (pattern.test(code)) violations.push({ file, line: index + 1, problem })
      }
    }
  }
  return violations
}

const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/\bDate\s*\.\s*now\b/, 'reads the clock (Date.now): take the time as an argument'],
  [/\bnew\s+Date\s*(\(\s*\)|(?!\s*\())/, 'reads the clock (new Date()): take the time as an argument'],
  [/(?<!new\s+)\bDate\s*\(\s*\)/, 'reads the clock (Date()): take the time as an argument'],
  [/\bMath\s*\.\s*random\b/, 'uses chance (Math.random): take a generator as an argument'],
  [/\bglobalThis\b/, 'reaches for the world (globalThis): take what you need as an argument'],
  [/\bimport\s*\(|\brequire\s*\(/, 'loads code at run time: import it at the top'],
  [
    /(?:\bfrom|\bimport)\s+['"](?:node:[^'"]*|fs|net|os|path|crypto|child_process|timers)['"]/,
    'imports a Node module: a lib touches nothing',
  ],
]
