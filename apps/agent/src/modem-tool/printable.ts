/**
 * One line that steers no terminal and shows everything in it where it stands: texts come from the network, from senders
 * and from modems. Joiners (U+200C, U+200D) stay, for Persian, Hindi and emoji are written with them.
 */
export function printable(text: string): string {
  return text.replace(STEERING, (character) => {
    const code = character.codePointAt(0) ?? 0
    const hex = code.toString(16)
    if (code < 0x100) return `\\x${hex.padStart(2, '0')}`
    return code < 0x1_0000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`
  })
}

/** As lines where it has line ends of its own. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/)
}

// Cf holds the bidirectional controls, Cs halves of surrogate pairs, Zl and Zp what some terminals end a line at.
const STEERING = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
