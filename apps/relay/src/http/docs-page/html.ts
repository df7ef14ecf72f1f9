/** Markup that is safe to put into a page. */
export interface Html {
  readonly markup: string
}

type Piece = string | number | Html | readonly Html[] | undefined

/** Texts among markup are escaped, so nothing in the description of the API can become a tag. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return { markup: strings.reduce((page, part, index) => page + markupOf(pieces[index - 1]) + part) }
}

/** Prose with `code` in it. */
export function prose(text: string): Html {
  return {
    markup: text
      .split('`')
      .map((part, index) => (index % 2 === 1 ? `<code>${escaped(part)}</code>` : escaped(part)))
      .join(''),
  }
}

function markupOf(piece: Piece): string {
  if (piece === undefined) return ''
  if (typeof piece === 'string' || typeof piece === 'number') return escaped(String(piece))
  return 'markup' in piece ? piece.markup : piece.map(({ markup }) => markup).join('')
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
