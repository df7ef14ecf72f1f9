import { parseSync } from 'oxc-parser'
import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'

export const CONSOLE = 'apps/console/src/'
export const WORDS = `${CONSOLE}words/`

/** The files that show program code and commands instead of text. */
const CODE_SAMPLES = new Set(['developers/snippets.ts', 'devices/pair-command.ts'].map((file) => CONSOLE + file))

/** Names, keys and API values that are the same in every language. */
const SAME_EVERYWHERE = new Set([
  ...['Delivered', 'Sent', 'Failed', 'Pending', 'Processed', 'Cancelling', 'Cancelled'],
  ...['JavaScript', 'Python', 'Escape', 'Enter', 'Shift', 'Ctrl', 'Esc', 'Slash', 'smsgw'],
])

/** Attributes whose value a person reads. */
const READ_ATTRIBUTES = /^(?:title|label|description|placeholder|about|summary|alt|action|refusal|error|aria-label)$/

/**
 * Checks that every text of the console is in its catalogue. A component must not contain text, and no text may be read
 * while a module is loaded, because the language is not yet known then.
 */
export const consoleTexts: Rule = (tree) =>
  sourcesOf(tree).flatMap((file) => {
    const text = tree.read(file)
    const report = (node: Node, problem: string): Violation => ({ file, line: lineAt(text, node.start), problem })
    return [...findingsIn(parseSync(file, text).program as unknown as Node)].map(({ node, problem }) =>
      report(node, problem),
    )
  })

export function sourcesOf(tree: RepositoryTree): readonly string[] {
  return tree.files.filter(
    (file) =>
      file.startsWith(CONSOLE) &&
      /\.tsx?$/.test(file) &&
      !/\.test\.tsx?$/.test(file) &&
      !file.startsWith(WORDS) &&
      !CODE_SAMPLES.has(file),
  )
}

export interface Node {
  readonly type: string
  readonly start: number
  readonly [member: string]: unknown
}

interface Finding {
  readonly node: Node
  readonly problem: string
}

function* findingsIn(node: Node, isInFunction = false): Generator<Finding> {
  if (isSkipped(node)) return
  const shown = textOf(node)
  if (shown !== undefined) yield { node, problem: `shows "${shown}": move it to ${WORDS}en.json and use t()` }
  if (!isInFunction && isRead(node))
    yield { node, problem: 'reads a text while the module is loaded: read it inside a function' }
  const isInner = isInFunction || /Function/.test(node.type)
  for (const child of childrenOf(node)) yield* findingsIn(child, isInner)
}

/** Returns the text of a node if a person reads it. */
function textOf(node: Node): string | undefined {
  if (node.type === 'JSXText') return wordsIn(node['value'], /\p{L}{2}/u)
  if (node.type === 'JSXAttribute') {
    const value = node['value'] as Node | null
    const name = (node['name'] as Node)['name']
    return READ_ATTRIBUTES.test(String(name)) && value?.type === 'Literal'
      ? wordsIn(value['value'], /\p{L}{2}/u)
      : undefined
  }
  if (node.type === 'Literal') return wordsIn(node['value'], sentence)
  if (node.type === 'TemplateElement') return wordsIn((node['value'] as { cooked: unknown }).cooked, sentence)
  return undefined
}

/** Matches a capitalised word, or two words. */
const sentence = /^\s*\p{Lu}\p{Ll}+(?=[\s.,:;!?…]|$)|\p{L}{2,}[,.:;]? \p{L}{2}/u

function wordsIn(value: unknown, pattern: RegExp): string | undefined {
  if (typeof value !== 'string' || SAME_EVERYWHERE.has(value.trim())) return undefined
  return pattern.test(value) && !/^(?:https:|color-mix)/.test(value) ? value.trim() : undefined
}

/**
 * Skips texts that are not shown: module names, types, class names, selectors, errors for programmers and compared
 * values.
 */
function isSkipped(node: Node): boolean {
  if (/^(?:Import|ExportAll|TS(?!As|Non|Satisfies))/.test(node.type)) return true
  if (node.type === 'JSXAttribute')
    return /^(?:className|d|viewBox|style)$/.test(String((node['name'] as Node)['name']))
  if (node.type === 'Property') return (node['key'] as Node)['name'] === 'className'
  if (node.type === 'NewExpression') return /Error$/.test(String((node['callee'] as Node)['name']))
  if (node.type === 'CallExpression') return /^(?:querySelector|test|closest|match|matchMedia)$/.test(calledName(node))
  return false
}

function isRead(node: Node): boolean {
  return node.type === 'CallExpression' && /^(?:t|rich|optionalText)$/.test(calledName(node))
}

export function calledName(node: Node): string {
  const callee = node['callee'] as Node
  return String(callee['name'] ?? (callee['property'] as Node | undefined)?.['name'] ?? '')
}

export function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter((value): value is Node => typeof value === 'object' && value !== null && 'type' in value)
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
