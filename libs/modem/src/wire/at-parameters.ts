/** One value of a parameter list (27.007 §4.2), in the forms in which modems write it. */
export type AtParameter =
  | { readonly kind: 'missing' }
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'quoted'; readonly text: string }
  | { readonly kind: 'group'; readonly items: readonly AtParameter[] }

/**
 * Reads the parameters after `+NAME:`. Never fails: an empty value is `missing`, an unclosed quote ends at the next
 * `,"` or at the end of the line, a stray quote is dropped, an unclosed parenthesis ends with the line.
 *
 * A text (USSD) may contain quotes and commas and must be read with `outermostQuoted`.
 */
export function parseParameters(body: string): readonly AtParameter[] {
  const reader = { body, position: 0 }
  const parameters = readList(reader, 0)
  // Also reads the values after a surplus parenthesis, which has ended the list too early.
  while (reader.position < body.length) {
    reader.position += body.startsWith('),', reader.position) ? 2 : 1
    parameters.push(...readList(reader, 0))
  }
  return parameters
}

/** Returns the text of a value; empty if the value is missing or a group. */
export function parameterText(parameter: AtParameter | undefined): string {
  return parameter === undefined || parameter.kind === 'missing' || parameter.kind === 'group' ? '' : parameter.text
}

/** Returns the value as a decimal number, quoted or not (`002` is 2). */
export function integerOf(parameter: AtParameter | undefined): number | undefined {
  return integerFrom(parameterText(parameter))
}

/** Returns the value as a hexadecimal number, quoted or not. Used for cell identifiers (27.007 §7.2). */
export function hexadecimalOf(parameter: AtParameter | undefined): number | undefined {
  const text = parameterText(parameter)
  return /^[0-9a-f]{1,12}$/i.test(text) ? Number.parseInt(text, 16) : undefined
}

/** Returns the members of a group; a single value counts as a group of one, a missing value as an empty group. */
export function itemsOf(parameter: AtParameter | undefined): readonly AtParameter[] {
  if (parameter === undefined || parameter.kind === 'missing') return []
  return parameter.kind === 'group' ? parameter.items : [parameter]
}

/** Returns true if the answer to a test command contains the number: `(0-2,5)`, `2`, `("0","1")`. */
export function offersNumber(parameter: AtParameter | undefined, wanted: number): boolean {
  return itemsOf(parameter).some((item) => {
    const [low, high] = parameterText(item).split('-', 2)
    const first = integerFrom(low?.trim() ?? '')
    const last = high === undefined ? first : integerFrom(high.trim())
    return first !== undefined && last !== undefined && first <= wanted && wanted <= last
  })
}

/** Returns all texts of a parameter and its groups, in order: `(("SM","BM"),("SM"))` → SM BM SM. */
export function textsOf(parameter: AtParameter | undefined): readonly string[] {
  if (parameter?.kind === 'group') return parameter.items.flatMap(textsOf)
  return parameter === undefined || parameter.kind === 'missing' ? [] : [parameter.text]
}

/** Splits at the first and the last quote: `0,"say "1", please",15` → `0,` · `say "1", please` · `,15`. */
export function outermostQuoted(body: string): { before: string; text: string; after: string } | undefined {
  const first = body.indexOf('"')
  if (first < 0) return undefined
  const last = body.lastIndexOf('"')
  if (last === first) return { before: body.slice(0, first), text: body.slice(first + 1), after: '' }
  return { before: body.slice(0, first), text: body.slice(first + 1, last), after: body.slice(last + 1) }
}

interface Reader {
  readonly body: string
  position: number
}

// Real answers nest at most twice; noise may nest deeper.
const deepest = 8

/**
 * Reads values until the body ends or the closing parenthesis of this list is found. The parenthesis itself is not
 * read.
 */
function readList(reader: Reader, depth: number): AtParameter[] {
  const items: AtParameter[] = []
  for (;;) {
    items.push(readValue(reader, depth))
    const next = reader.body[reader.position]
    if (next === undefined || next === ')') break
    // The comma was omitted, as in `("SM")("ME")`.
    if (next === ',') reader.position += 1
  }
  // `()` and an empty body contain no value; `(,)` contains two values.
  return items.length === 1 && items[0]?.kind === 'missing' ? [] : items
}

function readValue(reader: Reader, depth: number): AtParameter {
  skipBlanks(reader)
  const opening = reader.body[reader.position]
  if (opening === '"') return readQuoted(reader)
  if (opening === '(' && depth < deepest) return readGroup(reader, depth)
  return readPlain(reader)
}

function readGroup(reader: Reader, depth: number): AtParameter {
  reader.position += 1
  const items = readList(reader, depth + 1)
  if (reader.body[reader.position] === ')') reader.position += 1
  skipBlanks(reader)
  return { kind: 'group', items }
}

function readQuoted(reader: Reader): AtParameter {
  const { body } = reader
  const start = reader.position + 1
  let from = start
  for (;;) {
    const quote = body.indexOf('"', from)
    if (quote < 0) {
      reader.position = body.length
      return { kind: 'quoted', text: body.slice(start) }
    }
    if (closes(body, quote)) {
      reader.position = quote + 1
      skipBlanks(reader)
      return { kind: 'quoted', text: body.slice(start, quote) }
    }
    // `"0B,"0100701"`: the closing quote of the first value is missing, and the quote found here opens the next value.
    if (quote > start && body[quote - 1] === ',') {
      reader.position = quote - 1
      return { kind: 'quoted', text: body.slice(start, quote - 1) }
    }
    from = quote + 1
  }
}

function readPlain(reader: Reader): AtParameter {
  const start = reader.position
  skipToDelimiter(reader)
  // `(ME", "SR")`: an unpaired quote is not part of the value.
  const text = reader.body.slice(start, reader.position).replaceAll('"', '').trim()
  return text === '' ? { kind: 'missing' } : { kind: 'plain', text }
}

/** Returns true if the quote closes the value: only blanks are between the quote and the next delimiter. */
function closes(body: string, quote: number): boolean {
  let next = quote + 1
  while (body[next] === ' ') next += 1
  return next >= body.length || body[next] === ',' || body[next] === ')'
}

function skipBlanks(reader: Reader): void {
  while (reader.body[reader.position] === ' ') reader.position += 1
}

function skipToDelimiter(reader: Reader): void {
  const { body } = reader
  while (reader.position < body.length && body[reader.position] !== ',' && body[reader.position] !== ')') {
    reader.position += 1
  }
}

function integerFrom(text: string): number | undefined {
  return /^-?\d{1,15}$/.test(text) ? Number.parseInt(text, 10) : undefined
}
