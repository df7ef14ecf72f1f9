/**
 * Escapes control and formatting characters, because texts from senders, networks and modems could control the terminal.
 * Joiners (U+200C, U+200D) are kept because Persian, Hindi and emoji need them.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0
    const hex = code.toString(16)
    if (code < 0x100) return `\\x${hex.padStart(2, '0')}`
    return code < 0x1_0000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`
  })
}

// Cf: bidirectional controls. Cs: halves of surrogate pairs. Zl, Zp: line ends in some terminals.
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
