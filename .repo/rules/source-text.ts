import { parseSync, Visitor } from 'oxc-parser'

/** A source file as the rules read it. */
export interface SourceText {
  /**
   * Only the code. Comments and the content of strings, templates and regular expressions are replaced with blanks, so
   * that offsets stay the same.
   */
  readonly code: string
  readonly comments: readonly { readonly offset: number; readonly text: string }[]
  /** All imports, re-exports and `require` calls with a literal name. */
  readonly imports: readonly { readonly specifier: string; readonly line: number }[]
  /** The names of all exports except re-exports and the default. */
  readonly exports: readonly { readonly name: string; readonly line: number }[]
}

const read = new Map<string, SourceText>()

/** Stores the result, because several rules read the same file. */
export function readSource(file: string, text: string): SourceText {
  const key = `${file}\n${text}`
  const source = read.get(key) ?? parse(file, text)
  read.set(key, source)
  return source
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

interface Span {
  readonly start: number
  readonly end: number
}

function parse(file: string, text: string): SourceText {
  const { program, comments, module, errors } = parseSync(file, text, { astType: 'ts' })
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`)
  const blanks: Span[] = [...comments]
  const specifiers: Span[] = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest),
    ...module.staticExports.flatMap(({ entries }) => entries[0]?.moduleRequest ?? []),
    ...module.dynamicImports.map(({ moduleRequest }) => moduleRequest),
  ]
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === 'string') blanks.push({ start: node.start + 1, end: node.end - 1 })
      if ('regex' in node) blanks.push({ start: node.start + 1, end: node.start + 1 + node.regex.pattern.length })
    },
    // The delimiters of a template are part of its elements.
    TemplateElement: (node) => blanks.push({ start: node.start + 1, end: node.end - (node.tail ? 1 : 2) }),
    JSXText: (node) => blanks.push(node),
    TSImportType: (node) => specifiers.push(node.source),
    CallExpression: ({ callee, arguments: [first] }) => {
      if (first && callee.type === 'Identifier' && callee.name === 'require') specifiers.push(first)
    },
  }).visit(program)
  return {
    code: withBlanks(text, blanks),
    comments: comments.map(({ start, end }) => ({ offset: start, text: text.slice(start, end) })),
    imports: specifiers
      .filter(({ start, end }) => /^['"`][^$]*$/.test(text.slice(start, end)))
      .map(({ start, end }) => ({ specifier: text.slice(start + 1, end - 1), line: lineAt(text, start) })),
    exports: module.staticExports
      .flatMap(({ entries }) => entries)
      .flatMap(({ exportName: { name, start }, moduleRequest }) =>
        name === null || start === null || moduleRequest ? [] : [{ name, line: lineAt(text, start) }],
      ),
  }
}

function withBlanks(text: string, blanks: readonly Span[]): string {
  let code = ''
  for (const { start, end } of blanks.toSorted((a, b) => a.start - b.start))
    code += text.slice(code.length, start) + text.slice(start, end).replace(/[^\n]/g, ' ')
  return code + text.slice(code.length)
}
