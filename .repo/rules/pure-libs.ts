import { isBuiltin, stripTypeScriptTypes } from 'node:module'
import type { Rule, Violation } from './repository-tree.ts'
import { lineAt, readSource } from './source-text.ts'

/**
 * Checks that libs have no side effects. They receive time, randomness, input and output as arguments. The compiler
 * proves most of this, because libs have no types of Node, timers or `console` (see the rule "lib compilation"). This
 * rule limits the use of some globals of the language, such as `Date`. Types are removed before the check, so an
 * annotation such as `at: Date` is allowed.
 */
export const pureLibs: Rule = (tree) => {
  const violations: Violation[] = []
  for (const file of tree.files.filter(shipsInLib)) {
    const text = tree.read(file)
    for (const { specifier, line } of readSource(file, text).imports) {
      if (isBuiltin(specifier))
        violations.push({ file, line, problem: 'imports a Node module: a lib has no side effects' })
    }
    const untyped = withoutTypes(text)
    if (untyped === undefined)
      violations.push({ file, problem: 'cannot be parsed: Node runs only erasable TypeScript' })
    else violations.push(...judge(file, readSource(file, untyped).code))
  }
  return violations
}

export function shipsInLib(file: string): boolean {
  return /^libs\/[^/]+\/src\/.*\.[cm]?[jt]sx?$/.test(file) && !/\.test\.ts$/.test(file)
}

function withoutTypes(text: string): string | undefined {
  try {
    return stripTypeScriptTypes(text)
  } catch {
    return undefined
  }
}

function judge(file: string, code: string): Violation[] {
  const violations: Violation[] = []
  for (const { name, allowed, problem } of LIMITED) {
    for (const { index } of code.matchAll(new RegExp(`${NOT_A_MEMBER}${name}(?![\\w$])`, 'g'))) {
      if (!allowed(code.slice(0, index), code.slice(index + name.length)))
        violations.push({ file, line: lineAt(code, index), problem })
    }
  }
  for (const [pattern, problem] of REFUSED) {
    for (const { index } of code.matchAll(pattern)) violations.push({ file, line: lineAt(code, index), problem })
  }
  return violations
}

// `frame.Date` is a member and allowed, but the spread `...Date` is the global.
const NOT_A_MEMBER = '(?<![\\w$]|(?<!\\.\\.)\\.\\s*)'

/** The globals of the language that can have side effects, each with its allowed uses. */
const LIMITED = [
  {
    name: 'Date',
    allowed: (before: string, after: string) =>
      /^\s*\.\s*UTC\s*\(/.test(after) ||
      /\binstanceof\s+$/.test(before) ||
      (/\bnew\s+$/.test(before) && hasOneArgument(after)),
    problem:
      'reads the clock or the local time zone: in a lib, only Date.UTC(…), new Date(epochMs) and Date as a type are allowed',
  },
  {
    name: 'Math',
    allowed: (_: string, after: string) => /^\s*\.\s*(?!random\b)\w/.test(after),
    problem:
      'may use Math.random: call functions of Math only as Math.<function>(…), and take a random generator as a parameter if needed',
  },
  {
    name: 'Intl',
    allowed: (_: string, after: string) => /^\s*\.\s*Segmenter\b/.test(after),
    problem: 'depends on the locale of the machine: a lib may use only the Segmenter of Intl',
  },
]

const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/\bglobalThis\b|\bimport\s*\.\s*meta\b/g, 'accesses its environment: pass the value as an argument'],
  [/(?<![\w$.])(?:import|require)\s*\(/g, 'loads code at run time: import it at the top'],
  [/(?<![\w$.])(?:eval|Function)\b|\.\s*constructor\b/g, 'may create code from text'],
  [
    /(?<![\w$.])(?:Atomics|SharedArrayBuffer|WeakRef|FinalizationRegistry)\b/g,
    'depends on other threads or on garbage collection',
  ],
  [
    /\.\s*[gs]et(?:Hours|Minutes|Seconds|Milliseconds|Day|Date|Month|(?:Full)?Year)\b/g,
    'reads the local time zone: use UTC',
  ],
  [/\.\s*(?:getTimezoneOffset|toDateString|toTimeString)\b/g, 'reads the local time zone: use UTC'],
  [/\.\s*(?:toLocale\w+|localeCompare)\b/g, 'depends on the language of the machine'],
]

/** Several arguments, or a text, can mean a date in the local time zone. */
function hasOneArgument(after: string): boolean {
  const opening = /^\s*\(\s*/.exec(after)
  if (!opening) return false
  const rest = after.slice(opening[0].length)
  if (/^(?:['"`)]|\.\.\.)/.test(rest)) return false
  let depth = 0
  for (const { 0: mark, index } of rest.matchAll(/[([{,)\]}]/g)) {
    if (depth === 0 && mark === ')') return true
    if (depth === 0 && mark === ',') return /^\s*\)/.test(rest.slice(index + 1))
    if (mark !== ',') depth += '([{'.includes(mark) ? 1 : -1
  }
  return false
}
