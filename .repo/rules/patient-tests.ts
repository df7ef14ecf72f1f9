import type { Rule, Violation } from './repository-tree.ts'
import { lineAt, readSource } from './source-text.ts'

/**
 * Checks that no test waits for an event with a short time limit, because the machine may be busy. `vi.waitFor` and
 * `vi.waitUntil` wait only one second by default; the limit of `expect.poll` is in .config/vitest.ts. Also checks that
 * no test or hook sets a shorter limit for itself than that file does.
 */
export const patientTests: Rule = (tree) => {
  const violations: Violation[] = []
  for (const file of tree.files.filter(isOfTests)) {
    const { code } = readSource(file, tree.read(file))
    for (const { index } of code.matchAll(/\bvi\s*\.\s*wait(?:For|Until)\s*\(/g)) {
      const call = callAt(code, index)
      if (!HAS_SECOND_ARGUMENT.test(call))
        violations.push({ file, line: lineAt(code, index), problem: 'waits at most one second: use expect.poll' })
    }
    for (const { index } of code.matchAll(/\bvi\s*\.\s*wait(?:For|Until)\s*\(|\bexpect\s*\.\s*poll\s*\(/g)) {
      const call = callAt(code, index)
      const [, limit] = /\btimeout:\s*(\d[\d_]*)/.exec(call) ?? /,\s*(\d[\d_]*)\s*\)$/.exec(call) ?? []
      if (limit !== undefined && Number(limit.replaceAll('_', '')) < SHORTEST_MS)
        violations.push({
          ...{ file, line: lineAt(code, index) },
          problem: `waits at most ${limit} ms, which is too short on a busy machine: use expect.poll without a timeout`,
        })
    }
    for (const { index } of code.matchAll(/^ *(?:test|describe|(?:before|after)(?:All|Each))\b/gm)) {
      const limit = OWN_LIMIT.exec(wholeCallAt(code, index))?.slice(1).find(Boolean)
      if (limit !== undefined && Number(limit.replaceAll('_', '')) < SHORTEST_TEST_MS)
        violations.push({
          ...{ file, line: lineAt(code, index) },
          problem: `may run for only ${limit} ms: remove the limit, because the default is longer`,
        })
    }
  }
  return violations
}

const SHORTEST_MS = 60_000
/** The limit of tests and hooks in .config/vitest.ts. */
const SHORTEST_TEST_MS = 180_000
/** The limit after the function of a test or hook, or in the options before the function. */
const OWN_LIMIT = /\},\s*(\d[\d_]*),?\s*\)$|^[^=]*?\{\s*timeout:\s*(\d[\d_]*),?\s*\},\s*(?:async\s*)?(?:\(|\w+ =>)/
const HAS_SECOND_ARGUMENT = /\btimeout\b|,\s*(?:[A-Z_]+|[\d_]+)\s*\)$/

function isOfTests(file: string): boolean {
  return /\.(?:test|e2e)\.tsx?$|\/testing\/.*\.ts$|^apps\/e2e\/.*\.ts$/.test(file)
}

/** Returns the call of a test with its table, as in `test.each(table)(name, work)`. */
function wholeCallAt(code: string, offset: number): string {
  const first = callAt(code, offset)
  const rest = code.slice(offset + first.length)
  return rest.startsWith('(') ? first + callAt(rest, 0) : first
}

/** Returns the call that begins at this offset, up to its closing parenthesis. */
function callAt(code: string, offset: number): string {
  let depth = 0
  for (let index = code.indexOf('(', offset); index < code.length; index += 1) {
    if (code[index] === '(') depth += 1
    if (code[index] === ')') depth -= 1
    if (depth === 0) return code.slice(offset, index + 1)
  }
  return code.slice(offset)
}
