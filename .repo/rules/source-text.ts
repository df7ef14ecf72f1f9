/**
 * A source file with only its code. Comments and the content of strings, templates and regular expressions are replaced by
 * blanks, so offsets and lines stay the same; code in `${}` stays.
 */
export interface SourceText {
  readonly code: string
  readonly comments: readonly { readonly offset: number; readonly text: string }[]
}

export function readSource(text: string): SourceText {
  const comments: { offset: number; text: string }[] = []
  const bracesInSubstitution: number[] = []
  let code = ''
  let afterValue = false // a slash after a value divides; elsewhere it starts a regular expression
  while (code.length < text.length) {
    const offset = code.length
    const read = (token: RegExp) => matchAt(token, text, offset)
    const comment = read(COMMENT)
    if (comment !== undefined) {
      comments.push({ offset, text: comment })
      code += blank(comment)
      continue
    }
    const closesSubstitution = text[offset] === '}' && bracesInSubstitution.at(-1) === 0
    const template = text[offset] === '`' || closesSubstitution ? read(TEMPLATE) : undefined
    if (template !== undefined) {
      if (closesSubstitution) bracesInSubstitution.pop()
      const opens = template.endsWith('${')
      if (opens) bracesInSubstitution.push(0)
      code += hollow(template, opens ? 2 : 1)
      afterValue = !opens
      continue
    }
    const literal = read(STRING) ?? (afterValue ? undefined : read(REGULAR_EXPRESSION))
    if (literal !== undefined) {
      code += hollow(literal, 1)
      afterValue = true
      continue
    }
    const token = read(TOKEN) ?? ''
    countBraces(token, bracesInSubstitution)
    code += token
    afterValue = endsValue(token, afterValue)
  }
  return { code, comments }
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y
const STRING = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y
const TEMPLATE = /[`}](?:\\[\s\S]|\$(?!\{)|[^\\`$])*(?:`|\$\{)/y
const REGULAR_EXPRESSION = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//y
const TOKEN = /[\w$]+|\s+|\+\+|--|[\s\S]/y
const KEYWORD_BEFORE_VALUE =
  /^(?:return|typeof|case|in|of|do|else|await|yield|void|delete|instanceof|throw|new|default|extends)$/

function matchAt(token: RegExp, text: string, offset: number): string | undefined {
  token.lastIndex = offset
  return token.exec(text)?.[0]
}

function endsValue(token: string, before: boolean): boolean {
  if (/^(?:\s+|\+\+|--|!)$/.test(token)) return before // `i++ / 2` and `list[i]! / 2` divide
  if (/^[)\]}]$/.test(token)) return true
  return /^[\w$]+$/.test(token) && !KEYWORD_BEFORE_VALUE.test(token)
}

function countBraces(token: string, bracesInSubstitution: number[]): void {
  const open = bracesInSubstitution.pop()
  if (open === undefined) return
  bracesInSubstitution.push(token === '{' ? open + 1 : token === '}' ? open - 1 : open)
}

function hollow(literal: string, closingLength: number): string {
  return `${literal.slice(0, 1)}${blank(literal.slice(1, -closingLength))}${literal.slice(-closingLength)}`
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}
