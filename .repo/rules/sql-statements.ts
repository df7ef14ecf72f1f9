/** A statement of an SQL file with the comments above it. */
export interface Statement {
  readonly sql: string
  /** The statement, with the content of quoted texts and function bodies removed. */
  readonly code: string
  readonly comment: string
  /** The line of its first word. */
  readonly line: number
}

/** Matches a comment, a quoted text, a function body, or a semicolon. */
const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|;/g

/**
 * Splits an SQL file into statements without comments. A semicolon inside a function body or a quoted text does not end
 * a statement.
 */
export function statementsOf(text: string): Statement[] {
  const statements: Statement[] = []
  let [sql, code, comment, from] = ['', '', '', 0]
  let line: number | undefined
  const take = (piece: string, at: number, shown = piece) => {
    const start = piece.search(/\S/)
    if (line === undefined && start >= 0) line = text.slice(0, at + start).split('\n').length
    sql += piece
    code += shown
  }
  const end = () => {
    if (line !== undefined) statements.push({ sql: sql.trim(), code: code.trim(), comment, line })
    ;[sql, code, comment, line] = ['', '', '', undefined]
  }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    take(text.slice(from, index), from)
    from = index + token.length
    if (token === ';') end()
    else if (/^(?:--|\/\*)/.test(token)) comment += `${token}\n`
    else take(token, index, token.startsWith('"') ? token : "''")
  }
  take(text.slice(from), from)
  end()
  return statements
}
