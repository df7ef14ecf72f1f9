/** So that the match of a search is visible in a list that is 240 pixels wide. */
const MOST_CHARACTERS = 16

/** Shortens the text before a match to its end, at a space if there is one. */
export function shortLead(lead: string): string {
  const characters = Array.from(lead)
  if (characters.length <= MOST_CHARACTERS) return lead
  const end = characters.slice(-MOST_CHARACTERS).join('')
  return `…${/\s(?=\S)/.test(end) ? end.replace(/^\S*\s+/, '') : end}`
}
