/**
 * An element with its attributes, its inner elements, and its own text without the text of inner elements.
 */
export interface TwimlElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly text: string
  readonly elements: readonly TwimlElement[]
}

/** The document is not XML, or contains something that this reader refuses. */
export class XmlError extends Error {}

interface OpenElement extends TwimlElement {
  text: string
  readonly elements: TwimlElement[]
}

/** An answer has a handful of elements, so a document with more than this is refused. */
const MOST_ELEMENTS = 100
const DEEPEST = 8

/**
 * Reads an XML document. Refuses document types, entities other than the five of XML, and processing instructions other
 * than the declaration. So a document cannot grow while it is read, and cannot refer to a file or an address.
 */
export function readXml(document: string): TwimlElement {
  const reading: Reading = { open: [], root: undefined, count: 0 }
  let at = document.startsWith('\ufeff') ? 1 : 0
  while (at < document.length) {
    PIECE.lastIndex = at
    const piece = PIECE.exec(document)?.groups
    if (piece === undefined) throw new XmlError(`is not well-formed at character ${at + 1}`)
    at = PIECE.lastIndex
    readPiece(reading, piece)
  }
  const { root, open } = reading
  if (root === undefined) throw new XmlError('has no root element')
  if (open.length > 0) throw new XmlError(`does not close the element ${open.at(-1)?.name}`)
  return root
}

interface Reading {
  /** The elements around the present position, outermost first. */
  readonly open: OpenElement[]
  root: TwimlElement | undefined
  count: number
}

function readPiece(reading: Reading, piece: Readonly<Record<string, string | undefined>>): void {
  const { declaration, comment, cdata, end, start, attributes, empty, text } = piece
  if (comment !== undefined) return
  if (declaration !== undefined) {
    if (reading.count > 0) throw new XmlError('has an XML declaration in the middle')
  } else if (end !== undefined) {
    if (reading.open.pop()?.name !== end) throw new XmlError(`closes the element ${end}, which is not open`)
  } else if (start !== undefined) {
    const element = addElement(reading, start, attributes ?? '')
    if (empty === undefined) reading.open.push(element)
  } else addText(reading, cdata ?? decoded(text ?? ''))
}

function addElement(reading: Reading, name: string, attributes: string): OpenElement {
  const { open, root } = reading
  const parent = open.at(-1)
  reading.count += 1
  if (root !== undefined && parent === undefined) throw new XmlError('has more than one root element')
  if (reading.count > MOST_ELEMENTS) throw new XmlError(`has more than ${MOST_ELEMENTS} elements`)
  if (open.length === DEEPEST) throw new XmlError(`has more than ${DEEPEST} nested elements`)
  const element: OpenElement = { name, attributes: attributesOf(attributes), text: '', elements: [] }
  reading.root ??= element
  parent?.elements.push(element)
  return element
}

function addText({ open }: Reading, text: string): void {
  const parent = open.at(-1)
  if (parent !== undefined) parent.text += text
  else if (text.trim() !== '') throw new XmlError('has text outside its root element')
}

const NAME = '[A-Za-z_][\\w.:-]{0,63}'
const ATTRIBUTE = `\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*')`
const PIECE = new RegExp(
  [
    '(?<declaration><\\?xml\\s[^<>?]*\\?>)',
    '(?<comment><!--(?:(?!--)[^])*-->)',
    '<!\\[CDATA\\[(?<cdata>(?:(?!\\]\\]>)[^])*)\\]\\]>',
    `</(?<end>${NAME})\\s*>`,
    `<(?<start>${NAME})(?<attributes>(?:${ATTRIBUTE})*)\\s*(?<empty>/)?>`,
    '(?<text>[^<]+)',
  ].join('|'),
  'y',
)

function attributesOf(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', value = ''] of text.matchAll(/([^\s=]+)\s*=\s*("[^"]*"|'[^']*')/g)) {
    if (attributes.has(name)) throw new XmlError(`repeats the attribute ${name}`)
    attributes.set(name, decoded(value.slice(1, -1)))
  }
  return attributes
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function decoded(text: string): string {
  return text.replace(/&([^;&]{0,10}(;?))/g, (whole, entity: string, end: string) => {
    const name = entity.slice(0, -1)
    const [, hex, decimal] = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name) ?? []
    const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16)
    const character = ENTITIES[name] ?? (isCharacter(code) ? String.fromCodePoint(code) : undefined)
    if (end === '' || character === undefined) throw new XmlError(`has the unknown entity ${JSON.stringify(whole)}`)
    return character
  })
}

/** The characters of XML 1.0 (§2.2). */
function isCharacter(code: number): boolean {
  return (
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff)
  )
}
