/** Replaces control characters, so that foreign text stays on one line and cannot control the terminal. */
export function harmless(text: string): string {
  return text.replace(CONTROL_CHARACTERS, (character) => (character === '\n' ? '⏎' : '·'))
}

/** Returns JSON with all control characters escaped, because JSON.stringify escapes only those below U+0020. */
export function harmlessJson(value: unknown): string {
  return JSON.stringify(value).replace(CONTROL_CHARACTERS, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
