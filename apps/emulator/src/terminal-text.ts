/** What a terminal would act on, made harmless and one line: texts come from programs and from outside. */
export function harmless(text: string): string {
  return text.replace(STEERING, (character) => (character === '\n' ? '⏎' : '·'))
}

/** JSON in which what a terminal would act on is escaped too: JSON itself demands that below U+0020 alone. */
export function harmlessJson(value: unknown): string {
  return JSON.stringify(value).replace(STEERING, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

const STEERING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
