/**
 * One command of a command line (V.250 §5.3, §5.4): `+CMGF=1` is name `+CMGF`, form `set`, parameters `1`; `E0` is
 * name `E`, form `execute`, parameters `0`; `S3=13` is name `S`, form `set`, parameters `3=13`.
 */
export interface CommandText {
  /** In upper case. */
  readonly name: string
  readonly form: 'execute' | 'read' | 'test' | 'set'
  readonly parameters: string
}

/**
 * The commands after `AT`, in order. The first text that is not a command is returned as undefined and ends the list.
 */
export function parseCommandLine(line: string): readonly (CommandText | undefined)[] {
  const commands: (CommandText | undefined)[] = []
  let at = 0
  while (at < line.length) {
    const char = line.charAt(at)
    if (char === ' ' || char === ';') {
      at += 1
      continue
    }
    const next = isExtended(char) ? extended(line, at) : basic(line, at)
    commands.push(next?.command)
    if (next === undefined) break
    at = next.end
  }
  return commands
}

interface Found {
  readonly command: CommandText
  readonly end: number
}

function isExtended(char: string): boolean {
  return '+*^$#%_@'.includes(char)
}

function extended(line: string, at: number): Found | undefined {
  const end = endOfCommand(line, at)
  const text = line.slice(at, end)
  const match = /^([+*^$#%_@][A-Za-z0-9_.:/-]*) *(=\?|\?|=)? */.exec(text)
  if (match === null) return undefined
  const [head = '', name = '', mark] = match
  const parameters = text.slice(head.length).trimEnd()
  if (name.length < 2) return undefined
  if (mark !== '=' && parameters !== '') return undefined
  const form = mark === '=?' ? 'test' : mark === '?' ? 'read' : mark === '=' ? 'set' : 'execute'
  return { command: { name: name.toUpperCase(), form, parameters }, end }
}

function basic(line: string, at: number): Found | undefined {
  const rest = line.slice(at)
  const dial = /^[Dd]/.exec(rest)
  if (dial) {
    // A dial string ends at the semicolon of a voice call, or at the end of the line (V.250 §6.3.1).
    const semicolon = line.indexOf(';', at)
    const end = semicolon < 0 ? line.length : semicolon + 1
    return { command: { name: 'D', form: 'execute', parameters: line.slice(at + 1, end).trim() }, end }
  }
  const register = /^[Ss] *(\d+) *(=\?|\?|= *\d*)?/.exec(rest)
  if (register) {
    const [head, number = '', mark = ''] = register
    const form = mark === '=?' ? 'test' : mark === '?' ? 'read' : mark === '' ? 'execute' : 'set'
    const parameters = form === 'set' ? `${number}=${mark.slice(1).trim()}` : number
    return { command: { name: 'S', form, parameters }, end: at + head.length }
  }
  const plain = /^([&\\]?[A-Za-z]) *(\d*|\?|=\?)/.exec(rest)
  if (plain === null) return undefined
  const [head, name = '', tail = ''] = plain
  const form = tail === '=?' ? 'test' : tail === '?' ? 'read' : 'execute'
  const parameters = form === 'execute' ? tail : ''
  return { command: { name: name.toUpperCase(), form, parameters }, end: at + head.length }
}

/** Finds the semicolon that ends the command, or the end of the line. Semicolons in quotes are text. */
function endOfCommand(line: string, from: number): number {
  let quoted = false
  for (let at = from; at < line.length; at++) {
    const char = line.charAt(at)
    if (char === '"') quoted = !quoted
    else if (char === ';' && !quoted) return at
  }
  return line.length
}
