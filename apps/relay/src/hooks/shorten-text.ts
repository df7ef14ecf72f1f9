import { partsNeeded } from '@smsgw/sms/segmentation/segment'

// Three dots are used, because the ellipsis character would require an encoding with less than half the capacity.
const ENDING = '...'
/** A part holds at most 160 characters. */
const MOST_UNITS_OF_A_PART = 160

/** Returns the text, or as much of its beginning as fits into a number of parts, with dots at the end. */
export function shortenText(text: string, parts: number): string {
  const most = parts * MOST_UNITS_OF_A_PART
  if (text.length <= most && partsNeeded(text) <= parts) return text
  const characters = Array.from(text.slice(0, most + 1))
  let [fits, tooMany] = [0, characters.length]
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1
    if (partsNeeded(shortened(characters, middle)) <= parts) fits = middle
    else tooMany = middle
  }
  return shortened(characters, fits)
}

function shortened(characters: readonly string[], count: number): string {
  return characters.slice(0, count).join('').trimEnd() + ENDING
}
