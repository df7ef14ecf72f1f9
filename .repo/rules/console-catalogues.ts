import { IntlMessageFormat } from 'intl-messageformat'
import { parseSync } from 'oxc-parser'
import { calledName, childrenOf, type Node, sourcesOf, WORDS } from './console-texts.ts'
import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'

const ENGLISH = `${WORDS}en.json`

/**
 * Checks the catalogues of the console. All languages must have the same keys in the same order. A text must have the
 * same values and elements in each language, and a form for each plural category of its language. Every text must be
 * used.
 */
export const consoleCatalogues: Rule = (tree) => {
  const files = tree.files.filter((file) => file.startsWith(WORDS) && file.endsWith('.json'))
  if (files.length === 0) return []
  const english = readCatalogue(tree, ENGLISH)
  return [
    ...unusedTexts(tree, english),
    ...files.flatMap((file) => catalogueViolations(file, readCatalogue(tree, file), english)),
  ]
}

type Catalogue = Readonly<Record<string, string>>

function readCatalogue(tree: RepositoryTree, file: string): Catalogue {
  return JSON.parse(tree.read(file))
}

function catalogueViolations(file: string, catalogue: Catalogue, english: Catalogue): Violation[] {
  const violation = (problem: string): Violation => ({ file, problem })
  const keys = Object.keys(catalogue)
  const unordered = keys.find((key, at) => at > 0 && key < (keys[at - 1] ?? ''))
  return [
    ...(unordered === undefined ? [] : [violation(`"${unordered}" is out of order: sort the keys`)]),
    ...Object.keys(english)
      .filter((key) => !(key in catalogue))
      .map((key) => violation(`lacks "${key}"`)),
    ...keys.flatMap((key) => {
      const wanted = english[key]
      if (wanted === undefined) return [violation(`has "${key}", which is not in ${ENGLISH}`)]
      return textProblems(catalogue[key] ?? '', wanted, languageOf(file)).map((problem) =>
        violation(`"${key}" ${problem}`),
      )
    }),
  ]
}

function languageOf(file: string): string {
  return file.slice(WORDS.length, -'.json'.length)
}

function textProblems(text: string, english: string, language: string): string[] {
  if (text.trim() === '') return ['is empty']
  try {
    const parts = partsOf(text, language)
    const wanted = partsOf(english, 'en')
    const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    return [
      ...differences('lacks', wanted.names, parts.names),
      ...differences('has the unexpected', parts.names, wanted.names),
      ...parts.plurals.flatMap((forms) => differences('lacks the plural form', new Set(needed), forms)),
    ]
  } catch (error) {
    return [`does not parse: ${error instanceof Error ? error.message : error}`]
  }
}

function differences(problem: string, these: ReadonlySet<string>, those: ReadonlySet<string>): string[] {
  return [...these].filter((name) => !those.has(name)).map((name) => `${problem} ${name}`)
}

interface Parts {
  /** The names of the values and elements. */
  readonly names: ReadonlySet<string>
  /** The forms of each plural. */
  readonly plurals: readonly ReadonlySet<string>[]
}

interface Element {
  readonly type: number
  readonly value?: string
  readonly options?: Readonly<Record<string, { readonly value: readonly Element[] }>>
  readonly children?: readonly Element[]
}

const LITERAL = 0
const PLURAL = 6
const POUND = 7
const TAG = 8

function partsOf(text: string, language: string): Parts {
  const names = new Set<string>()
  const plurals: ReadonlySet<string>[] = []
  const visit = ({ type, value, options, children }: Element): void => {
    if (type !== LITERAL && type !== POUND) names.add(type === TAG ? `<${value}>` : `{${value}}`)
    if (type === PLURAL) plurals.push(new Set(Object.keys(options ?? {}).filter((form) => !form.startsWith('='))))
    for (const { value: inner } of Object.values(options ?? {})) inner.forEach(visit)
    children?.forEach(visit)
  }
  ;(new IntlMessageFormat(text, language).getAst() as readonly Element[]).forEach(visit)
  return { names, plurals }
}

/** A computed key, such as t(`scope.${scope}`), uses all keys that begin with `scope.`. */
function unusedTexts(tree: RepositoryTree, english: Catalogue): Violation[] {
  const used = new Set<string>()
  const beginnings = new Set<string>()
  const visit = (node: Node): void => {
    if (node.type === 'Literal' && typeof node['value'] === 'string') used.add(node['value'])
    if (node.type === 'CallExpression' && /^(?:t|rich|optionalText)$/.test(calledName(node))) {
      const [first] = node['arguments'] as readonly Node[]
      const [start] = (first?.type === 'TemplateLiteral' ? first['quasis'] : []) as readonly Node[]
      if (start !== undefined) beginnings.add((start['value'] as { readonly cooked: string }).cooked)
    }
    childrenOf(node).forEach(visit)
  }
  for (const file of sourcesOf(tree)) visit(parseSync(file, tree.read(file)).program as unknown as Node)
  return Object.keys(english)
    .filter((key) => !used.has(key) && ![...beginnings].some((beginning) => key.startsWith(beginning)))
    .map((key) => ({ file: ENGLISH, problem: `"${key}" is not used: delete it` }))
}
