/**
 * Reads the small part of XML that HiLink sticks use: elements, text and the five named entities. Attributes, comments
 * and declarations are skipped. Names are compared without case, because firmware writes `Messages` and `messages`.
 */
export interface XmlElement {
  /** In lower case. */
  readonly name: string
  /** The text directly inside the element, decoded. */
  readonly text: string
  readonly children: readonly XmlElement[]
}

/** Returns the outermost element, or undefined if the text is not a complete document. */
export function parseXml(document: string): XmlElement | undefined {
  const root: OpenElement = { name: '', text: '', children: [] }
  const open: OpenElement[] = [root]
  let at = 0
  for (const match of document.matchAll(markup)) {
    // An unclosed comment or CDATA section matches up to the end of the document, so that the rest is read only once.
    if (!match[0].endsWith('>')) return undefined
    const current = open.at(-1) as OpenElement
    current.text += document.slice(at, match.index)
    at = match.index + match[0].length
    const [, closing, name, empty, literal] = match
    if (literal !== undefined) current.text += escapeXml(literal)
    else if (name !== undefined) {
      const element: OpenElement = { name: name.toLowerCase(), text: '', children: [] }
      current.children.push(element)
      if (empty === '') open.push(element)
      if (open.length > deepest) return undefined
    } else if (closing !== undefined && (open.length === 1 || open.pop()?.name !== closing.toLowerCase())) {
      return undefined
    }
  }
  const [first] = root.children
  const isWhole = open.length === 1 && root.children.length === 1 && document.slice(at).trim() === ''
  return isWhole && first !== undefined && root.text.trim() === '' ? decoded(first) : undefined
}

/** Returns the text of the first child with this name, or undefined if there is none. */
export function childText(element: XmlElement | undefined, name: string): string | undefined {
  return element?.children.find((child) => child.name === name.toLowerCase())?.text
}

/** Returns the text of the first child with this name if it is a whole number. */
export function childNumber(element: XmlElement | undefined, name: string): number | undefined {
  const text = childText(element, name)?.trim()
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
}

export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entityOf[character] ?? character)
}

/**
 * Returns true if an XML document can contain the text (XML 1.0 §2.2). Most control characters and halves of surrogate
 * pairs are not allowed.
 */
export function isXmlText(text: string): boolean {
  return !unwritable.test(text)
}

interface OpenElement {
  readonly name: string
  text: string
  readonly children: OpenElement[]
}

/**
 * Matches a closing tag, an opening tag, a CDATA section, a comment or a declaration. For the last two, no group is
 * set.
 */
const markup =
  /<\/([A-Za-z_][\w.:-]*)\s*>|<([A-Za-z_][\w.:-]*)(?:\s[^<>]*?)?(\/?)>|<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)|<!--[\s\S]*?(?:-->|$)|<[?!][^>]*(?:>|$)/g

const deepest = 32

function decoded({ name, text, children }: OpenElement): XmlElement {
  return { name, text: unescapeXml(text), children: children.map(decoded) }
}

function unescapeXml(text: string): string {
  return text.replaceAll(/&(#x[\dA-Fa-f]{1,6}|#\d{1,7}|[a-z]{2,4});/g, (entity, name: string) => {
    if (!name.startsWith('#')) return characterOf[name] ?? entity
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity
  })
}

const entityOf: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

const characterOf: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Matches control characters except tab and line ends, half a surrogate pair, and the two noncharacters U+FFFE and
 * U+FFFF.
 */
const unwritable = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\ufffe\uffff]/u
