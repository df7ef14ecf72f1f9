const MOST_CHARACTERS = 120

/**
 * Returns the first line of a text for a notification, or undefined if it may contain a code or a link that signs
 * somebody in, because a locked screen shows notifications.
 */
export function firstLine(text: string): string | undefined {
  const line = text
    .split(/[\r\n\u2028\u2029]/)
    .map((one) => one.trim())
    .find((one) => one !== '')
  if (line === undefined || mayBeSecret(line)) return undefined
  const characters = [...line]
  return characters.length <= MOST_CHARACTERS ? line : `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`
}

/**
 * Matches four digits or more, also in groups (`12-34-56`), capital letters mixed with digits (`G7K2QX`), other letters
 * mixed with digits in a longer word (`a7f3k9`), or a link, also without its scheme (`example.org/x`).
 */
function mayBeSecret(line: string): boolean {
  return (
    /\p{Nd}(?:[\s.-]?\p{Nd}){3}/u.test(line) ||
    /(?<![\p{L}\p{Nd}])(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z\d]{4,}(?![\p{L}\p{Nd}])/u.test(line) ||
    /(?<![\p{L}\p{Nd}])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]{6,}(?![\p{L}\p{Nd}])/u.test(line) ||
    /\w:\/\/|\bwww\.|\p{L}\.\p{L}{2,}\/\S/iu.test(line)
  )
}
