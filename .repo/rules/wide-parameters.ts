import { type RepositoryTree, type Rule, readList, type Violation } from './repository-tree.ts'

const MOST = 10
export const WIDE_PARAMETERS = '.repo/wide-parameters.json'

/** An interface whose name says that it is the parameter of a function or class. */
const PARAMETERS = /^(?:export )?interface (\w+(?:Options|Deps|Parts))\b[^{\n]*\{\n(.*?)^\}/gms
/** A member of an interface. The formatter indents members by two spaces. */
const FIELD = /^ {2}(?:readonly )?[A-Za-z_]\w*\??[:(<]/gm

interface WideParameter {
  readonly fields: number
  readonly why: string
}

/**
 * Checks that an interface for parameters has at most ten fields. A wider interface must be split into groups of fields
 * that the same code uses, or must be listed with the number of its fields and a reason.
 */
export const wideParameters: Rule = (tree) => {
  const list = readList<WideParameter>(tree, WIDE_PARAMETERS)
  const violations: Violation[] = []
  const seen = new Set<string>()
  for (const { file, line, name, fields } of parametersIn(tree)) {
    const key = `${file} ${name}`
    seen.add(key)
    const listed = list[key]
    if (fields > (listed?.fields ?? MOST))
      violations.push({
        file,
        line,
        problem: `${name} has ${fields} fields: split it into types for the functions that use the fields, or list it in ${WIDE_PARAMETERS} with a reason`,
      })
    else if (listed && (fields < listed.fields || fields <= MOST))
      violations.push({
        file: WIDE_PARAMETERS,
        problem: `allows ${listed.fields} fields for ${key}, which has ${fields}: lower the number`,
      })
  }
  for (const [key, { why }] of Object.entries(list)) {
    if (!seen.has(key)) violations.push({ file: WIDE_PARAMETERS, problem: `lists ${key}, which does not exist` })
    if (!why) violations.push({ file: WIDE_PARAMETERS, problem: `gives no reason for ${key}` })
  }
  return violations
}

function* parametersIn(tree: RepositoryTree) {
  for (const file of tree.files) {
    if (!/\.tsx?$/.test(file) || /\.(?:test|e2e)\.tsx?$/.test(file)) continue
    const text = tree.read(file)
    for (const match of text.matchAll(PARAMETERS)) {
      const [, name = '', body = ''] = match
      const line = text.slice(0, match.index).split('\n').length
      yield { file, line, name, fields: body.match(FIELD)?.length ?? 0 }
    }
  }
}
