import { parseSync } from 'oxc-parser'
import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'
import { lineAt } from './source-text.ts'

export const CONSOLE = 'apps/console/src/'
export const WORDS = `${CONSOLE}words/`

/** The files that show program code and commands instead of text. */
const CODE_SAMPLES = new Set(['developers/snippets.ts', 'devices/pair-command.ts'].map((file) => CONSOLE + file))

/** Names, keys and API values that are the same in every language. */
const SAME_EVERYWHERE = new Set([
  ...['Delivered', 'Sent', 'Failed', 'Pending', 'Processed', 'Cancelling', 'Cancelled'],
  ...['HTTP', 'MMS', 'JavaScript', 'Python', 'Escape', 'Enter', 'Shift', 'Ctrl', 'Esc', 'Slash', 'smsgw'],
])

/** Attributes and members whose value a person reads. */
const READ_NAMES =
  /^(?:title|label|description|placeholder|about|content|summary|alt|action|refusal|error|heading|legend|message|nothingFoundMessage|textContent|innerText|innerHTML|__html|aria-?(?:label|description|valuetext|roledescription|placeholder))$/i

/** Attributes of components that name something for programs. A person may read every other attribute. */
const CODE_NAMES =
  /^(?:aria-(?:activedescendant|controls|current|describedby|labelledby)|auto(?:Capitalize|Complete)|clampBehavior|className|color|d|data-.*|defaultColorScheme|dir|href|icon|id|initialDirection|inputMode|key|kind|lang|list|name|path|position|radius|rel|rightSection(?:PointerEvents|Width)|role|simState|size|style|target|tone|type|value|variant|viewBox)$/

/** Errors of the language, whose messages are for programmers. */
const LANGUAGE_ERRORS = /^(?:(?:Aggregate|Range|Reference|Syntax|Type)?Error|DOMException)$/

/** Functions whose arguments a person reads. */
const READ_CALLS = /^(?:showToast|setPageTitle|confirm|alert|Notification)$/

/** Members of the API that contain text of any language, such as names and messages. */
const USER_TEXTS =
  /^(?:text|subject|contentPreview|name|assignee|author|phoneNumber|message|module|url|operator|carrierName|model)$/

/** Fields in which a person types. */
const TEXT_FIELDS = /^(?:TextInput|Textarea|Autocomplete|TagsInput|textarea)$/

const FORMATS = `${WORDS}formats.ts`

/**
 * Checks that every text of the console is in its catalogue. A component must not contain text, and no text may be read
 * while a module is being loaded, because the language is not yet known then. Dates and numbers have the formats of one
 * module. A text that may be of another language than the page has its own direction.
 */
export const consoleTexts: Rule = (tree) => [
  ...tree.files
    .filter((file) => file.startsWith(CONSOLE) && file.endsWith('.css'))
    .flatMap((file) => textsOfCss(tree, file)),
  ...sourcesOf(tree).flatMap((file) => {
    const text = tree.read(file)
    const report = (node: Node, problem: string): Violation => ({ file, line: lineAt(text, node.start), problem })
    const findings = [...findingsIn(parseSync(file, text).program as unknown as Node)]
    const distinct = new Map(findings.map((finding) => [`${finding.node.start} ${finding.problem}`, finding]))
    return [...distinct.values()].map(({ node, problem }) => report(node, problem))
  }),
]

/** Finds words in `content`, which a screen reader reads as well. */
function textsOfCss(tree: RepositoryTree, file: string): Violation[] {
  const text = tree.read(file)
  const comments = /\/\*[\s\S]*?\*\//g
  const code = text.replace(comments, (comment) => comment.replace(/[^\n]/g, ' '))
  return [...code.matchAll(/(?<![\w-])content\s*:([^;}]*)/g)].flatMap(({ index, 1: value = '' }) =>
    [...value.matchAll(/"([^"]*)"|'([^']*)'/g)]
      .map(([, double, single]) => double ?? single ?? '')
      .filter((shown) => anyWord.test(shown))
      .map((shown) => ({ file, line: lineAt(text, index), problem: shownProblem(shown) })),
  )
}

function shownProblem(text: string): string {
  return `shows "${text.trim()}": move it to ${WORDS}en.json and use t()`
}

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

interface Surroundings {
  readonly isInFunction: boolean
  /** True in an element that has a direction of its own. */
  readonly isDirected: boolean
}

const module: Surroundings = { isInFunction: false, isDirected: false }

function* findingsIn(node: Node, { isInFunction, isDirected } = module): Generator<Finding> {
  if (isSkipped(node)) return
  const format = formatOf(node)
  if (format !== undefined) yield { node, problem: `formats with ${format}: add the format to ${FORMATS}` }
  const isDirectedHere = isDirected || hasDirection(node)
  if (node.type === 'JSXElement' && !isDirectedHere) yield* undirectedTexts(node)
  yield* shownTexts([node], (text) => (node.type === 'JSXText' ? anyWord : sentence).test(text))
  for (const expression of readExpressions(node)) yield* shownTexts(textsOf(expression), (text) => anyWord.test(text))
  if (!isInFunction && isRead(node))
    yield { node, problem: 'reads a text while the module is being loaded: read it inside a function' }
  const inner = { isInFunction: isInFunction || /Function/.test(node.type), isDirected: isDirectedHere }
  for (const child of childrenOf(node)) if (!isComparedText(child, node)) yield* findingsIn(child, inner)
}

/** True for `'Disabled'` in `value === 'Disabled'`. */
function isComparedText(node: Node, parent: Node): boolean {
  return node.type === 'Literal' && parent.type === 'BinaryExpression' && parent['operator'] !== '+'
}

function* shownTexts(nodes: readonly Node[], isText: (text: string) => boolean): Generator<Finding> {
  for (const node of nodes) {
    const text = wordsIn(node)
    if (text !== undefined && isText(text)) yield { node, problem: shownProblem(text) }
  }
}

/** Returns the expressions in a node whose value a person reads. There, even a single word is a text. */
function readExpressions(node: Node): readonly Node[] {
  switch (node.type) {
    case 'JSXElement':
    case 'JSXFragment':
      return (node['children'] as readonly Node[]).filter(({ type }) => type === 'JSXExpressionContainer')
    case 'JSXAttribute':
      return READ_NAMES.test(String((node['name'] as Node)['name'])) ? nodesIn(node['value']) : []
    case 'JSXOpeningElement':
      return isComponent(node) ? customAttributes(node) : []
    case 'Property':
      return READ_NAMES.test(nameOf(node['key'])) ? nodesIn(node['value']) : []
    case 'AssignmentExpression':
      return READ_NAMES.test(nameOf((node['left'] as Node)['property'])) ? nodesIn(node['right']) : []
    case 'NewExpression':
    case 'CallExpression':
      if (READ_CALLS.test(calledName(node)) || isOwnError(node)) return nodesIn(node['arguments'])
      if (calledName(node) === 'join') return joinedTexts(node)
      return calledName(node) === 'createElement' ? nodesIn(node['arguments']).slice(2) : []
    default:
      return []
  }
}

/** True for `<Panel>`, and false for `<p>`. */
function isComponent(element: Node): boolean {
  return /^[A-Z]/.test(String((element['name'] as Node)['name'] ?? 'Member'))
}

function customAttributes(element: Node): readonly Node[] {
  return (element['attributes'] as readonly Node[])
    .filter(({ type, name }) => type === 'JSXAttribute' && !CODE_NAMES.test(String((name as Node)['name'])))
    .flatMap(({ value }) => nodesIn(value))
}

/** True for `new SaveError(…)` and for `super(…)`, because pages show the messages of the console's own errors. */
function isOwnError(node: Node): boolean {
  if (node.type === 'CallExpression') return (node['callee'] as Node).type === 'Super'
  return /(?:Error|Failure|Problem)$/.test(calledName(node)) && !LANGUAGE_ERRORS.test(calledName(node))
}

/** Returns the items of `[…].join(' ')` and `[…].filter(…).join(' ')`. A list that is joined without a text is code. */
function joinedTexts(call: Node): readonly Node[] {
  const [separator] = nodesIn(call['arguments'])
  if (separator === undefined || !/\s/.test(String(separator['value'] ?? ' '))) return []
  let list = (call['callee'] as Node)['object'] as Node | undefined
  while (list?.type === 'CallExpression') list = (list['callee'] as Node)['object'] as Node | undefined
  return list?.type === 'ArrayExpression' ? nodesIn(list['elements']) : []
}

/** Returns the literals that can be the value of an expression, or a part of it. */
function textsOf(node: Node): readonly Node[] {
  const parts = ['expression', 'consequent', 'alternate', 'left', 'right', 'quasis']
  if (node.type === 'Literal' || node.type === 'TemplateElement') return [node]
  if (node.type === 'BinaryExpression' && node['operator'] !== '+') return []
  return /^(?:JSXExpressionContainer|TS\w+|ParenthesizedExpression|(?:Conditional|Logical|Binary)Expression|TemplateLiteral)$/.test(
    node.type,
  )
    ? parts.flatMap((part) => nodesIn(node[part])).flatMap(textsOf)
    : []
}

/** Returns the name of a format of the browser. */
function formatOf(node: Node): string | undefined {
  if (node.type === 'MemberExpression') {
    const [object, property] = [node['object'] as Node, node['property'] as Node]
    return object['name'] === 'Intl' ? `Intl.${property['name']}` : undefined
  }
  const name = node.type === 'CallExpression' ? calledName(node) : ''
  return /^toLocale(?:Date|Time)?String$/.test(name) ? name : undefined
}

function hasDirection(node: Node): boolean {
  return node.type === 'JSXElement' && (elementName(node) === 'bdi' || attributesOf(node).includes('dir'))
}

/** Finds texts of users in an element without a direction, and a field without one. */
function* undirectedTexts(element: Node): Generator<Finding> {
  const name = elementName(element)
  if (TEXT_FIELDS.test(name) && !attributesOf(element).includes(SPREAD))
    yield { node: element, problem: `<${name}> has no direction: add dir` }
  for (const child of element['children'] as readonly Node[]) {
    const shown = child.type === 'JSXExpressionContainer' ? userTextIn(child['expression'] as Node) : undefined
    if (shown !== undefined)
      yield { node: child, problem: `shows "${shown}" without a direction: use <bdi> or dir="auto"` }
  }
}

const SPREAD = '...'

function elementName(element: Node): string {
  return String(((element['openingElement'] as Node)['name'] as Node)['name'])
}

function attributesOf(element: Node): readonly string[] {
  const attributes = (element['openingElement'] as Node)['attributes'] as readonly Node[]
  return attributes.map((attribute) =>
    attribute.type === 'JSXSpreadAttribute' ? SPREAD : String((attribute['name'] as Node)['name']),
  )
}

function userTextIn(node: Node): string | undefined {
  if (node.type === 'LogicalExpression') return userTextIn(node['left'] as Node) ?? userTextIn(node['right'] as Node)
  if (node.type === 'ConditionalExpression')
    return userTextIn(node['consequent'] as Node) ?? userTextIn(node['alternate'] as Node)
  if (node.type === 'ChainExpression') return userTextIn(node['expression'] as Node)
  const isOfCatalogue = node.type === 'MemberExpression' && (node['object'] as Node)['name'] === 'words'
  const named = node.type === 'MemberExpression' ? (node['property'] as Node) : node
  const name = String(named['name'] ?? '')
  return !isOfCatalogue && USER_TEXTS.test(name) ? name : undefined
}

/** Matches a capitalised word, two words, or a letter that code does not have. */
const sentence = /^\s*\p{Lu}\p{Ll}+(?=[\s.,:;!?…]|$)|\p{L}{2,}[,.:;]?\s+\p{L}{2}|(?![A-Za-z])\p{L}/u
const anyWord = /\p{L}{2}/u

function wordsIn(node: Node): string | undefined {
  const value = node.type === 'TemplateElement' ? (node['value'] as { cooked: unknown }).cooked : node['value']
  if (typeof value !== 'string' || !/^(?:JSXText|Literal|TemplateElement)$/.test(node.type)) return undefined
  const word = value.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const isCode = SAME_EVERYWHERE.has(word) || /^(?:https:|\/\w|color-mix|repeating-linear-gradient)/.test(value)
  return isCode ? undefined : value
}

/** Skips texts that are not shown: module names, types, class names, selectors and errors for programmers. */
function isSkipped(node: Node): boolean {
  if (/^(?:Import|ExportAll|TS(?!As|Non|Satisfies))/.test(node.type)) return true
  if (node.type === 'JSXAttribute')
    return /^(?:className|d|viewBox|style)$/.test(String((node['name'] as Node)['name']))
  if (node.type === 'Property') return (node['key'] as Node)['name'] === 'className'
  if (node.type === 'NewExpression') return LANGUAGE_ERRORS.test(String((node['callee'] as Node)['name']))
  if (node.type === 'CallExpression')
    return /^(?:querySelector|test|closest|match|matchMedia|useMediaQuery)$/.test(calledName(node))
  return false
}

function isRead(node: Node): boolean {
  return node.type === 'CallExpression' && /^(?:t|rich|optionalText)$/.test(calledName(node))
}

export function calledName(node: Node): string {
  const callee = node['callee'] as Node
  return String(callee['name'] ?? (callee['property'] as Node | undefined)?.['name'] ?? '')
}

function nameOf(node: unknown): string {
  const [named] = nodesIn(node)
  return String(named?.['name'] ?? named?.['value'] ?? '')
}

export function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap(nodesIn)
}

function nodesIn(value: unknown): Node[] {
  return (Array.isArray(value) ? value : [value]).filter(
    (one): one is Node => typeof one === 'object' && one !== null && 'type' in one,
  )
}
