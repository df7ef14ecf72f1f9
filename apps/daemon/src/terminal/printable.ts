/**
 * Escapes control and formatting characters, because texts from senders, networks and modems could control the
 * terminal. Joiners (U+200C, U+200D) are kept because Persian, Hindi and emoji need them.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0
    const hex = code.toString(16)
    if (code < 0x100) return `\\x${hex.padStart(2, '0')}`
    return code < 0x1_0000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`
  })
}

/** Returns valid JSON with the same characters escaped. JSON.stringify alone escapes only characters below U+0020. */
export function printableJson(value: unknown, indent?: number): string {
  return escapedJson(JSON.stringify(value, undefined, indent))
}

/**
 * Escapes these characters, except line breaks, in a text that is JSON already. The value of the JSON stays the same.
 */
export function escapedJson(json: string): string {
  if (PLAIN.test(json)) return json
  return json.replace(UNSAFE, (character) =>
    character === '\n' ? character : character.split('').map(escapedUnit).join(''),
  )
}

/** A character above U+FFFF is two UTF-16 units, and has two escapes in JSON. */
function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Most log lines have only these characters, and this check is faster than a search for the others. */
const PLAIN = /^[\n -~]*$/

// Cf: bidirectional controls. Cs: halves of surrogate pairs. Zl, Zp: line ends in some terminals.
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
